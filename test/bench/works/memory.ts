import type { Call } from "../call.ts";
import { startGateway } from "../contenders/gateway.ts";
import { median } from "../rounds.ts";
import { fillConversations, newDraft } from "../rows.ts";
import type { Bench, Result } from "./work.ts";

const CONVERSATIONS = 200;
const MINUTE = 60_000;
/** Requests between two looks at the memory. */
const ROUND = 500;
/** After as many requests, what V8 compiles and how far it lets its heap grow has settled. */
const WARM_UP = 20_000;

/** The memory of a gateway under a mixed load: after it is warm, in the first minute and in the last. */
export async function memory(bench: Bench): Promise<Result> {
	const { world, soakMinutes } = bench;
	const start = await world.createStart("memory");
	await fillConversations(world.sql, start.projectId, { name: "mixed", conversations: CONVERSATIONS, messages: 100 });
	const gateway = await startGateway(start);
	const work = async () => {
		const run = await gateway.prepare(Array.from({ length: ROUND }, mixedCall), bench.course.concurrency);
		await run();
		return (await gateway.process.usage()).rss / 1024 ** 2;
	};
	for (let requests = 0; requests < bench.scaled(WARM_UP); requests += ROUND) await work();
	const samples: { minute: number; megabytes: number }[] = [];
	const startedAt = performance.now();
	for (let minute = 0; minute < soakMinutes; ) {
		const megabytes = await work();
		minute = (performance.now() - startedAt) / MINUTE;
		samples.push({ minute, megabytes });
	}
	await gateway.stop();
	const end = samples.at(-1)!.minute;
	const span = Math.min(1, soakMinutes / 2);
	const during = (from: number, to: number) =>
		median(samples.filter(({ minute }) => minute >= from && minute <= to).map(({ megabytes }) => megabytes));
	const [first, last] = [during(0, Math.max(span, samples[0]!.minute)), during(end - span, end)];
	const requests = samples.length * ROUND;
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
