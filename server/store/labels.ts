import { checkLabel } from "../domain/branches.ts";
import { checkId } from "../domain/ids.ts";
import type { Message } from "../domain/messages.ts";
import type { Statement } from "./database.ts";
import { lockConversationOf, type MessageRow, messageColumns, toMessage, unknownMessage } from "./messages.ts";
import type { Scope } from "./scope.ts";
import { CLOCK } from "./times.ts";

const SET: Statement = {
	name: "label_set",
	returnsWritten: true,
	text: `WITH touched AS (
			UPDATE conversations SET updated_at = greatest(updated_at, clock.now) FROM ${CLOCK}
			WHERE project_id = $1 AND conversation_id = $2 RETURNING updated_at
		), labelled AS (
			UPDATE messages m SET label = $4, updated_at = touched.updated_at
			FROM touched WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.message_id = $3
			RETURNING m.*
		)
		SELECT ${messageColumns("labelled")} FROM labelled`,
};

/** Sets the label of a message, or removes it; the message's place and content stay. */
export async function setLabel(
	{ db, identity, limits }: Scope,
	input: { messageId: string; label?: string | null | undefined },
): Promise<Message> {
	const messageId = checkId("input.messageId", input.messageId, limits.idBytes);
	const label = checkLabel("input.label", input.label, limits.idBytes);
	return db.transaction(async (transaction) => {
		const place = await lockConversationOf(transaction, identity, messageId);
		const values = [identity.projectId, place?.conversationId, messageId, label];
		const [row] = await transaction.query<MessageRow>(SET, values);
		// Thrown inside the transaction, so that the conversation's updatedAt stays too.
		if (row === undefined) throw unknownMessage(messageId);
		return toMessage(row);
	});
}
