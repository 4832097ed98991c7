import { checkConfig, checkThinking, encodeConfig, withThinking } from "../domain/configs.ts";
import { unknownConversation } from "../domain/conversations.ts";
import { checkId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Statement } from "./database.ts";
import type { Scope } from "./scope.ts";
import { CLOCK } from "./times.ts";

const SELECT: Statement = {
	name: "config_select",
	text: "SELECT config FROM conversations WHERE project_id = $1 AND conversation_id = $2",
};

/** The config of a conversation, null where none is set. */
export async function getConfig(
	{ db, identity, limits }: Scope,
	input: { conversationId: string },
): Promise<JsonObject | null> {
	const conversationId = checkId("conversationId", input.conversationId, limits.idBytes);
	const [row] = await db.read<{ config: JsonObject | null }>(SELECT, [identity.projectId, conversationId]);
	if (row === undefined) throw unknownConversation(conversationId);
	return row.config;
}

/** Replaces the config of a conversation whole; null takes it out. */
export async function setConfig(
	scope: Scope,
	input: { conversationId: string; config?: JsonObject | null | undefined },
): Promise<JsonObject | null> {
	const config = input.config == null ? null : checkConfig("input.config", input.config);
	return change(scope, input.conversationId, () => config);
}

/** Replaces the thinking part of the config; null takes it out. The other fields stay. */
export async function setThinking(
	scope: Scope,
	input: { conversationId: string; thinking?: JsonObject | null | undefined },
): Promise<JsonObject | null> {
	const thinking = input.thinking == null ? null : checkThinking("input.thinking", input.thinking);
	return change(scope, input.conversationId, (config) => withThinking(config, thinking));
}

const LOCK: Statement = {
	name: "config_lock",
	text: "SELECT config FROM conversations WHERE project_id = $1 AND conversation_id = $2 FOR UPDATE",
};

const SET: Statement = {
	name: "config_set",
	text: `UPDATE conversations SET config = $3::text::json, updated_at = greatest(updated_at, clock.now)
		FROM ${CLOCK} WHERE project_id = $1 AND conversation_id = $2 RETURNING config`,
};

async function change(
	{ db, identity, limits }: Scope,
	id: string,
	next: (config: JsonObject | null) => JsonObject | null,
): Promise<JsonObject | null> {
	const conversationId = checkId("input.conversationId", id, limits.idBytes);
	const key = [identity.projectId, conversationId];
	return db.transaction(async (transaction) => {
		const [locked] = await transaction.query<{ config: JsonObject | null }>(LOCK, key);
		if (locked === undefined) throw unknownConversation(conversationId);
		const text = encodeConfig("input.config", next(locked.config), limits)?.text ?? null;
		const [row] = await transaction.query<{ config: JsonObject | null }>(SET, [...key, text]);
		return row!.config;
	});
}
