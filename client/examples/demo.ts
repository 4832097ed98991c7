// Stores real conversations where they lie beside the checkout, a small sample otherwise, and reads them back.
// Running it twice stores nothing twice: the ids are fixed, so the second run replays the first.
import { readFile } from "node:fs/promises";
import { type MessageInput, StoreError, store } from "@iga-pages/agent/store";

interface Turn {
	id: string;
	text: string;
	role: string;
	rank?: number;
	replies: Turn[];
}

const SAMPLE: Turn[] = [
	{
		id: "sample-1",
		role: "user",
		text: "What is the difference between a thread and a process?",
		replies: [
			{
				id: "sample-2",
				role: "assistant",
				text: "A process has memory of its own; the threads of a process share it.",
				replies: [{ id: "sample-3", role: "user", text: "So threads are cheaper?", replies: [] }],
			},
		],
	},
	{
		id: "sample-4",
		role: "user",
		text: "给我的猫起个名字",
		replies: [{ id: "sample-5", role: "assistant", text: "叫“年糕”怎么样？", replies: [] }],
	},
];

async function readTrees(): Promise<Turn[]> {
	const file = new URL("../../../shared/data/conversation-trees.jsonl", import.meta.url);
	const text = await readFile(file, "utf8").catch(() => null);
	if (text === null) return SAMPLE;
	const lines = text.split("\n").filter((line) => line !== "");
	return lines.map((line) => (JSON.parse(line) as { prompt: Turn }).prompt);
}

/** The line of a tree that its readers ranked best. */
function bestLine(root: Turn): Turn[] {
	const line = [root];
	for (let turn = root; turn.replies.length > 0; ) {
		turn = turn.replies.reduce((best, reply) => ((reply.rank ?? 0) < (best.rank ?? 0) ? reply : best));
		line.push(turn);
	}
	return line;
}

async function storeConversation(line: Turn[]): Promise<string> {
	const conversationId = `demo-${line[0]!.id}`;
	try {
		await store.createConversation({ conversationId, metadata: { title: line[0]!.text.slice(0, 60), demo: true } });
	} catch (error) {
		// The demo ran before; its conversation is there.
		if (!(error instanceof StoreError && error.code === "Conflict")) throw error;
	}
	const messages = line.map(
		({ id, role, text }): MessageInput => ({ messageId: `demo-${id}`, role, payload: { text } }),
	);
	await store.appendMessages({ conversationId, messages });
	return conversationId;
}

let messages = 0;
const ids: string[] = [];
for (const tree of await readTrees()) {
	const line = bestLine(tree);
	messages += line.length;
	ids.push(await storeConversation(line));
}
console.log(`Stored ${ids.length} conversations with ${messages} messages.`);

const latest = await store.listConversations({ limit: 5 });
console.log("The latest of them, read back:");
for (const { conversationId, metadata } of latest.items) {
	const page = await store.listMessages({ conversationId, order: "desc", limit: 1 });
	const [last] = page.items;
	console.log(`  ${String(metadata["title"])}  (${last?.seq ?? 0} messages, the last from ${last?.role ?? "nobody"})`);
}
console.log("Open GraphiQL to look at them.");
