-- Every append moves its conversation's updated_at, and so leaves a dead entry at the end of the index from which lists
-- are read. Vacuum comes after 1 % of dead rows in place of 20 %. It takes the dead entries out of the indexes, too: by
-- itself it would not when all dead rows are on few pages, as those of a few busy conversations are.
-- The room on the pages is for updates that move no indexed column, of a run's lease or a counter: they stay on their
-- page and out of all indexes.
ALTER TABLE "conversations" SET (fillfactor = 90, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.01, vacuum_index_cleanup = on);
ALTER TABLE "states" SET (fillfactor = 90, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.01, vacuum_index_cleanup = on);
ALTER TABLE "transcripts" SET (fillfactor = 90, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.01);

-- Large values are compressed in less than half the time, to the same size, where Postgres was built with lz4.
DO $$
BEGIN
	IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
		ALTER TABLE "messages" ALTER COLUMN "payload" SET COMPRESSION lz4, ALTER COLUMN "metadata" SET COMPRESSION lz4;
		ALTER TABLE "conversations" ALTER COLUMN "agent_state" SET COMPRESSION lz4, ALTER COLUMN "run_interrupt" SET COMPRESSION lz4;
		ALTER TABLE "states" ALTER COLUMN "state" SET COMPRESSION lz4;
		ALTER TABLE "state_checkpoints" ALTER COLUMN "state" SET COMPRESSION lz4;
		ALTER TABLE "checkpoints" ALTER COLUMN "data" SET COMPRESSION lz4;
		ALTER TABLE "checkpoint_blobs" ALTER COLUMN "data" SET COMPRESSION lz4;
		ALTER TABLE "checkpoint_writes" ALTER COLUMN "data" SET COMPRESSION lz4;
		ALTER TABLE "transcript_entries" ALTER COLUMN "entry" SET COMPRESSION lz4;
	END IF;
END
$$;
