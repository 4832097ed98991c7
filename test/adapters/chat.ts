import { onTestFinished } from "vitest";
import type { Agent, AgentOptions } from "../../server/domain/agents.ts";
import type { Limits } from "../../server/domain/limits.ts";
import { type ApiThread, callApi } from "../support/api.ts";
import { startGateway } from "../support/gateway.ts";
import { query } from "../support/sql.ts";

/** What `/api/chat` answers. */
interface Answer<Data> {
	output: string;
	status: string;
	interrupt: { reason: string; data: Data } | null;
	error: { code: string; message: string };
}

/** A gateway with an agent, on whose thread `t` the test chats until it is finished. */
export async function startChat<Data = { calls: { callId: string }[] }>(
	agent: Agent,
	{ limits = {}, agentOptions = {} }: { limits?: Partial<Limits>; agentOptions?: AgentOptions } = {},
) {
	const gateway = await startGateway({ agent, limits, agentOptions });
	onTestFinished(gateway.close);
	const chat = async (body: object, url = gateway.url) =>
		(await callApi<Answer<Data>>({ ...gateway, url }, "POST", "/api/chat", { thread_id: "t", ...body }, gateway.token))
			.body;
	/** Every table that a framework could store in. */
	const rows = async () => {
		const counts = await query<{ messages: number; checkpoints: number }>(
			gateway,
			`SELECT (SELECT count(*)::int FROM messages) AS messages,
				(SELECT count(*)::int FROM checkpoints) + (SELECT count(*)::int FROM checkpoint_writes) AS checkpoints`,
		);
		return counts[0];
	};
	/** Role and text, or calls, of what is stored. */
	const stored = async () => {
		const { items } = await gateway.store.listMessages({ conversationId: "t" });
		return items.map(({ payload }) => {
			const { role, content, tool_calls: calls } = payload as { role: string; content: string; tool_calls?: object[] };
			return `${role}: ${calls === undefined ? content : `${calls.length} calls`}`;
		});
	};
	const thread = async () => (await callApi<ApiThread>(gateway, "GET", "/api/threads/t")).body;
	return { gateway, chat, rows, stored, thread };
}
