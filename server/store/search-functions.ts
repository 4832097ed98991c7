/** Characters of a message or title that are searched. */
const SEARCHED_CHARACTERS = 16_384;

/** Levels of nesting in which a payload's text is looked for. */
const SEARCHED_DEPTH = 8;

/** Scripts that put no spaces between words, and pictures: each character and each pair of neighbours is a term. */
const PAIRED = String.raw`\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3041-\u30FA\u30FC-\u30FF\u3105-\u318E\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA48F\uAC00-\uD7AF\uF900-\uFAFF\uFF66-\uFFDC\U0001F000-\U0001FAFF\U00020000-\U0003FFFF`;

/** All other letters and digits, in lower case. */
const SPACED = String.raw`0-9a-z\u00AA\u00B5\u00BA\u00C0-\u0DFF\u0F00-\u0FFF\u10A0-\u177F\u1800-\u1FFF\u2C00-\u2DFF\uA490-\uABFF\uFB00-\uFDFF\uFE70-\uFEFE\uFF10-\uFF19\uFF21-\uFF3A\uFF41-\uFF5A\U00010000-\U0001EFFF`;

/** The members of an object under which the formats of agent frameworks keep text, directly or further inside. */
const TEXT_MEMBERS = ["text", "content", "summary", "output", "message", "parts", "kwargs"];

/** JSON as jsonb, to be looked into and forgotten. It takes neither U+0000 nor half a surrogate pair: they become spaces. */
function searchJson(schema: string): string {
	return String.raw`CREATE OR REPLACE FUNCTION ${schema}.search_json(value json) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS $search$
DECLARE
	raw text := value::text;
BEGIN
	-- Escaped backslashes go first: what follows one is no escape.
	IF strpos(raw, '\u') > 0 THEN
		raw := regexp_replace(replace(raw, '\\', ' '), '\\u(0000|[dD][89a-fA-F]..)', ' ', 'g');
	END IF;
	RETURN raw::jsonb;
END $search$;`;
}

/** The text of a payload. */
function searchText(schema: string): string {
	const members = TEXT_MEMBERS.map((name) => `${schema}.search_text(value -> '${name}', depth - 1)`);
	// LangChain stores a message under it; elsewhere it holds images.
	members.push(
		`${schema}.search_text(CASE jsonb_typeof(value -> 'data') WHEN 'object' THEN value -> 'data' END, depth - 1)`,
	);
	return `CREATE OR REPLACE FUNCTION ${schema}.search_text(value jsonb, depth int) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $search$
BEGIN
	CASE jsonb_typeof(value)
	WHEN 'string' THEN
		RETURN value #>> '{}';
	WHEN 'array' THEN
		IF depth = 0 THEN RETURN NULL; END IF;
		RETURN (SELECT string_agg(${schema}.search_text(item, depth - 1), ' ') FROM jsonb_array_elements(value) AS item);
	WHEN 'object' THEN
		IF depth = 0 THEN RETURN NULL; END IF;
		RETURN concat_ws(' ', ${members.join(", ")});
	ELSE
		RETURN NULL;
	END CASE;
END $search$;`;
}

/** The terms of a text. Each is a hash of project and word. */
function searchTerms(schema: string, collation: string): string {
	return `CREATE OR REPLACE FUNCTION ${schema}.search_terms(project uuid, value text) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE STRICT AS $search$
DECLARE
	folded text := lower(left(value, ${SEARCHED_CHARACTERS}) COLLATE ${collation});
	salt bigint := uuid_hash_extended(project, 0);
BEGIN
	IF octet_length(folded) = length(folded) THEN
		RETURN ARRAY(SELECT hashtextextended(term, salt) FROM unnest(regexp_split_to_array(folded, '[^0-9a-z]+')) AS term WHERE term <> '');
	END IF;
	RETURN ARRAY(SELECT hashtextextended(term, salt) FROM (
		SELECT unnest(regexp_split_to_array(folded, '[^${SPACED}]+'))
		UNION ALL
		SELECT unnest(ARRAY[character, character || nullif(next, ' ')]) FROM (
			SELECT character, lead(character) OVER () AS next
			FROM unnest(string_to_array(regexp_replace(folded, '[^${PAIRED}]+', ' ', 'g'), NULL)) AS character
		) AS characters WHERE character <> ' '
	) AS terms (term) WHERE term <> '');
END $search$;`;
}

/** The terms of a message. */
function searchMessageTerms(schema: string): string {
	return `CREATE OR REPLACE FUNCTION ${schema}.search_message_terms(project uuid, payload json) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE STRICT COST 10000 AS $search$
BEGIN
	RETURN ${schema}.search_terms(project, ${schema}.search_text(${schema}.search_json(payload), ${SEARCHED_DEPTH}));
EXCEPTION WHEN OTHERS THEN
	RETURN NULL;
END $search$;`;
}

/** The terms of a conversation's title. */
function searchTitleTerms(schema: string): string {
	return `CREATE OR REPLACE FUNCTION ${schema}.search_title_terms(project uuid, metadata json) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE STRICT COST 10000 AS $search$
DECLARE
	raw text := metadata::text;
	titles jsonb;
BEGIN
	IF strpos(raw, '"title"') = 0 AND strpos(raw, '"name"') = 0 THEN RETURN NULL; END IF;
	titles := ${schema}.search_json(metadata);
	RETURN ${schema}.search_terms(project, concat_ws(' ',
		CASE jsonb_typeof(titles -> 'title') WHEN 'string' THEN titles ->> 'title' END,
		CASE jsonb_typeof(titles -> 'name') WHEN 'string' THEN titles ->> 'name' END));
EXCEPTION WHEN OTHERS THEN
	RETURN NULL;
END $search$;`;
}

/**
 * The functions behind the indexes of search. No look-up meets another project's rows, for the project is in every term;
 * the indexes hold no readable text; and no extension is needed. An error in them would refuse the append, so what they
 * cannot read they leave out.
 */
export function searchFunctions(schema: string, collation: string): string {
	return [
		searchJson(schema),
		searchText(schema),
		searchTerms(schema, collation),
		searchMessageTerms(schema),
		searchTitleTerms(schema),
	].join("\n");
}

/** Removes them. */
export const DROP_FUNCTIONS = `DROP FUNCTION IF EXISTS search_message_terms(uuid, json), search_title_terms(uuid, json),
	search_terms(uuid, text), search_text(jsonb, int), search_json(json)`;
