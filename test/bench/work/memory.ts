import type { Call } from "../call.ts";
import { startGateway } from "../contenders/gateway.ts";
import { median } from "../rounds.ts";
import { fillConversations, newDraft } from "../rows.ts";
import type { Bench, Result } from "./work.ts";

const CONVERSATIONS = 200;
const MINUTE = 60_000;
const ROUND = 500;

/** The memory of a gateway under a mixed load: a minute to warm up, then the first minute and the last. */
export async function memory(bench: Bench): Promise<Result> {
	const { world, soakMinutes } = bench;
	const start = await world.createStart("memory");
	await fillConversations(world.sql, start.projectId, { name: "mixed", conversations: CONVERSATIONS, messages: 100 });
	const gateway = await startGateway(start);
	const samples: { minute: number; megabytes: number }[] = [];
	const startedAt = performance.now();
	let requests = 0;
	for (let minute = 0; minute < soakMinutes + 1; ) {
		const run = await gateway.prepare(Array.from({ length: ROUND }, mixedCall), bench.course.concurrency);
		await run();
		requests += ROUND;
		minute = (performance.now() - startedAt) / MINUTE;
		const { rss } = await gateway.process.usage();
		samples.push({ minute, megabytes: rss / 1024 ** 2 });
	}
	await gateway.stop();
	const span = Math.min(1, soakMinutes / 2);
	const between = (from: number, to: number) =>
		median(samples.filter(({ minute }) => minute >= from && minute <= to).map(({ megabytes }) => megabytes));
	const end = samples.at(-1)!.minute;
	const [first, last] = [between(1, 1 + span), between(end - span, end)];
	return {
		head: ["memory under a mixed load", "minutes", "requests", "MB in the first minute", "MB in the last"],
		table: [["gateway", soakMinutes.toFixed(1), String(requests), first.toFixed(0), last.toFixed(0)]],
		figures: { first, last, requests, samples },
		targets: [
			{ title: `memory after ${soakMinutes} minutes ÷ after warm-up`, measured: last / first, limit: { most: 1.1 } },
		],
	};
}

function mixedCall(_: unknown, index: number): Call {
	const conversationId = `mixed-${Math.ceil(Math.random() * CONVERSATIONS)}`;
	const calls: Call[] = [
		{ kind: "append", conversationId, messages: [newDraft()] },
		{ kind: "messages", conversationId, order: "asc", limit: 50 },
		{ kind: "append", conversationId, messages: Array.from({ length: 10 }, newDraft) },
		{ kind: "messages", conversationId, order: "desc", limit: 20 },
		{ kind: "message", messageId: `${conversationId}-7` },
		{ kind: "conversations", limit: 50 },
	];
	return calls[index % calls.length]!;
}
