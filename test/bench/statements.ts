import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import { appendMessage } from "../../server/store/appends.ts";
import { listConversations } from "../../server/store/conversations.ts";
import type { Queries, Statement } from "../../server/store/database.ts";
import { listMessages } from "../../server/store/message-pages.ts";
import { getMessages } from "../../server/store/messages.ts";
import type { Scope } from "../../server/store/scope.ts";
import type { Identity } from "../../server/store/tokens.ts";

/** The gateway's own statements, for those that run the same SQL without the gateway. */
export interface Statements {
	append: Statement;
	asc: Statement;
	desc: Statement;
	message: Statement;
	conversations: Statement;
}

/** Takes the statements from the store itself, by running its functions on a database that only listens. */
export async function gatewayStatements(): Promise<Statements> {
	const conversationId = "c";
	return {
		append: await statementOf((scope) => appendMessage(scope, { conversationId, messageId: "m", payload: null })),
		asc: await statementOf((scope) => listMessages(scope, { conversationId, order: "asc" })),
		desc: await statementOf((scope) => listMessages(scope, { conversationId, order: "desc" })),
		message: await statementOf((scope) => getMessages(scope, ["m"])),
		conversations: await statementOf((scope) => listConversations(scope, {})),
	};
}

class Heard extends Error {
	readonly statement: Statement;

	constructor(statement: Statement) {
		super(`The store runs ${statement.name}`);
		this.statement = statement;
	}
}

async function statementOf(work: (scope: Scope) => Promise<unknown>): Promise<Statement> {
	const hear: Queries["read"] = async (statement) => {
		throw new Heard(statement);
	};
	const together: Queries["together"] = (_group, _projectId, _call, doAlone) => doAlone();
	const db = { read: hear, write: hear, together } as Queries;
	const identity = { projectId: "", conversationIds: null } as Identity;
	const heard: unknown = await work({ db, identity, limits: DEFAULT_LIMITS }).catch((error: unknown) => error);
	if (heard instanceof Heard) return heard.statement;
	throw new Error("The store ran no statement", { cause: heard });
}
