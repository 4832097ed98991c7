import type { Call } from "../call.ts";
import { startDriven } from "../contenders/driven.ts";
import { startGateway } from "../contenders/gateway.ts";
import { alternate, type Lane, type Row, ratio } from "../rounds.ts";
import { fillConversations, newDraft } from "../rows.ts";
import { type Bench, type Result, rowsResult, type Target } from "./work.ts";

const CONVERSATIONS = 200;

const CALLS: Record<string, (index: number) => Call> = {
	"append one": (index) => ({
		kind: "append",
		conversationId: `sdk-${(index % CONVERSATIONS) + 1}`,
		messages: [newDraft()],
	}),
	"list 50": (index) => ({
		kind: "messages",
		conversationId: `sdk-${(index % CONVERSATIONS) + 1}`,
		order: "asc",
		limit: 50,
	}),
};

/** The CPU of a client that calls the SDK, and of one that sends the same by a bare `fetch` and parses the answer. */
export async function sdk(bench: Bench): Promise<Result> {
	const { world } = bench;
	const gateway = await world.enlist(startGateway);
	const { projectId, token } = await world.createStart("sdk");
	await fillConversations(world.sql, projectId, { name: "sdk", conversations: CONVERSATIONS, messages: 50 });
	const url = `http://127.0.0.1:${gateway.process.port}/graphql`;
	const start = (mode: string) => startDriven(mode, projectId, "./servers/sdk-client.ts", [mode, url, token]);
	const clients = [await start("sdk"), await start("fetch")];
	const rows: Row[] = [];
	const targets: Target[] = [];
	for (const [work, call] of Object.entries(CALLS)) {
		const lanes = clients.map(
			(contender): Lane => ({
				name: `${contender.name}, ${work}`,
				contender,
				calls: bench.scaled(500),
				call,
			}),
		);
		const [ours, bare] = await alternate(lanes, bench.course);
		rows.push(ours!, bare!);
		targets.push({
			title: `SDK ÷ bare fetch, ${work}, CPU of the client`,
			measured: ratio(ours!.cpu, bare!.cpu),
			limit: { most: 1.3 },
		});
	}
	for (const client of clients) await client.stop();
	return rowsResult("CPU of the client", rows, targets);
}
