-- A checkpoint with a value that is whole, and one in pieces, of which it has one twice.
INSERT INTO checkpoint_pieces (project_id, thread_id, name, data)
	SELECT '00000000-0000-4000-8000-000000000001', 'pieces', octet_length(data) || '-' || encode(sha256(data), 'base64'), data
	FROM unnest(ARRAY['["a",'::bytea, '"b",']) AS piece (data);
INSERT INTO checkpoint_blobs (project_id, thread_id, checkpoint_ns, channel, version, type, encoding, data, pieces, bytes)
	SELECT '00000000-0000-4000-8000-000000000001', 'pieces', '', 'list', '1', 'json', 'pieces', '"c"]', ARRAY[a.name, b.name, b.name], 17
	FROM checkpoint_pieces a, checkpoint_pieces b WHERE a.data = '["a",' AND b.data = '"b",';
INSERT INTO checkpoint_blobs (project_id, thread_id, checkpoint_ns, channel, version, type, encoding, data) VALUES
	('00000000-0000-4000-8000-000000000001', 'pieces', '', 'whole', '1', 'json', 'identity', '{"a":1}');
INSERT INTO checkpoints (project_id, thread_id, checkpoint_ns, checkpoint_id, format, channels, versions, type, encoding, data,
	metadata_type, metadata_encoding, metadata, metadata_json, metadata_terms) VALUES
	('00000000-0000-4000-8000-000000000001', 'pieces', '', '1', 4, '{list,whole}', '{1,1}', 'json', 'identity',
		'{"v":4,"id":"1","ts":"","channel_versions":{"list":"1","whole":"1"},"versions_seen":{}}', 'json', 'identity', '{}', '{}', '{}');
