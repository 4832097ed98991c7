import { createSessions, type Message, type Sessions } from "@iga-pages/agent/sessions";
import { createSession } from "@iga-pages/agent/store/openai";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages } from "../support/pages.ts";
import { ModelConversation, type Node } from "./model.ts";

let gateway: TestGateway;
let sessions: Sessions;

beforeAll(async () => {
	gateway = await startGateway();
	sessions = createSessions({ url: gateway.url, token: gateway.token });
});

afterAll(() => gateway.close());

const pick = fc.nat({ max: 1000 });
const step = fc.oneof(
	{ weight: 8, arbitrary: fc.record({ kind: fc.constant("append" as const), count: fc.integer({ min: 1, max: 3 }) }) },
	{ weight: 7, arbitrary: fc.record({ kind: fc.constant("branch" as const), pick }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("branchBeforeAll" as const) }) },
	{ weight: 3, arbitrary: fc.record({ kind: fc.constant("switch" as const), pick }) },
	{ weight: 3, arbitrary: fc.record({ kind: fc.constant("delete" as const), pick }) },
	{ weight: 4, arbitrary: fc.record({ kind: fc.constant("pop" as const) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("replace" as const) }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant("label" as const), pick, label: fc.constantFrom("a", null) }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant("compact" as const), pick: fc.option(pick, { nil: null }) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("summary" as const), pick }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("custom" as const) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("fork" as const), pick: fc.option(pick, { nil: null }) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const) }) },
);

const ids = (messages: readonly { messageId: string }[]) => messages.map(({ messageId }) => messageId);
const idsOf = (nodes: readonly Node[]) => nodes.map(({ id }) => id);
const chosen = <T>(items: readonly T[], index: number): T | undefined => items[index % items.length];

/** A conversation at the gateway beside its model. */
class Pair {
	readonly model = new ModelConversation();
	readonly conversationId: string;
	#forks = 0;

	constructor(conversationId: string) {
		this.conversationId = conversationId;
	}

	async run(action: typeof step extends fc.Arbitrary<infer Action> ? Action : never): Promise<void> {
		const { model, conversationId } = this;
		const { store } = gateway;
		const node = "pick" in action && action.pick !== null ? chosen(model.nodes, action.pick) : undefined;
		switch (action.kind) {
			case "append": {
				const messages = Array.from({ length: action.count }, () => ({ payload: { text: "turn" }, role: "user" }));
				for (const { messageId } of await store.appendMessages({ conversationId, messages })) model.append(messageId);
				return;
			}
			case "branch":
				return node && this.#branch(node);
			case "branchBeforeAll":
				return this.#branch(null);
			case "switch": {
				const branch = chosen([...model.paths.keys()], action.pick)!;
				const moved = await sessions.switchBranch({ conversationId, branch });
				expect(moved).toMatchObject({ branch, active: true });
				model.active = branch;
				return;
			}
			case "delete":
				if (node === undefined) return;
				await store.deleteMessage({ messageId: node.id });
				return model.delete(node);
			case "pop": {
				const popped = await this.#session().popItem();
				const { newest } = model;
				expect(popped).toEqual(newest === undefined ? undefined : { role: "user", text: newest.id });
				if (newest !== undefined) model.takeOff(newest.seq, await this.#active());
				return;
			}
			case "replace":
				await this.#session().replaceHistoryWithCompaction([{ role: "user", content: "all of it" }]);
				model.takeOff(0, await this.#active());
				return void model.append((await this.#newest()).messageId);
			case "label":
				if (node === undefined) return;
				expect(await sessions.setLabel({ messageId: node.id, label: action.label })).toMatchObject({
					label: action.label,
				});
				node.label = action.label;
				return;
			case "compact": {
				const kept = action.pick === null ? undefined : node;
				const input = { conversationId, summary: "so far", firstKeptMessageId: kept?.id ?? null };
				if (kept !== undefined && !model.path.includes(kept)) {
					expect(await failure(sessions.compact(input))).toMatchObject({ code: "BadRequest" });
					return;
				}
				const { messageId } = await sessions.compact(input);
				return void model.append(messageId, "compaction", kept?.seq ?? null);
			}
			case "summary": {
				const fromBranch = chosen([...model.paths.keys()], action.pick)!;
				const { messageId } = await sessions.appendBranchSummary({ conversationId, summary: "there", fromBranch });
				return void model.append(messageId, "branch_summary");
			}
			case "custom": {
				const { messageId } = await sessions.appendCustom({ conversationId, payload: [1] });
				return void model.append(messageId, "custom");
			}
			case "fork":
				return this.#fork(node);
			case "clear":
				await store.clearMessages({ conversationId });
				return model.clear();
		}
	}

	async #branch(node: Node | null): Promise<void> {
		const { model, conversationId } = this;
		const path = node === null ? [] : model.pathTo(node);
		const branch = await sessions.branch({ conversationId, messageId: node?.id ?? null });
		const known = model.paths.get(branch.branch);
		if (known === undefined) {
			expect(branch.branch).toBe(model.paths.size);
			// Nobody shows this path yet: a branch begins only where none ends.
			for (const other of model.paths.values()) expect(other.at(-1)).not.toBe(node ?? undefined);
		} else expect(idsOf(known)).toEqual(idsOf(path));
		if (model.path.at(-1) === (node ?? undefined)) expect(branch.branch).toBe(model.active);
		model.moveTo(branch.branch, path);
		expect(branch).toMatchObject({ leafMessageId: node?.id ?? null, active: true });
	}

	async #fork(node: Node | undefined): Promise<void> {
		const { model, conversationId } = this;
		const path = node === undefined ? model.path : model.pathTo(node);
		const newConversationId = `${conversationId}-fork-${++this.#forks}`;
		const input = { conversationId, messageId: node?.id ?? null, newConversationId };
		const fork = await sessions.fork(input);
		expect(fork).toMatchObject({ parentConversationId: conversationId, parentMessageId: path.at(-1)?.id ?? null });
		const copies = await drainMessages(gateway.store, { conversationId: newConversationId });
		expect(copies.map(({ sourceMessageId }) => sourceMessageId)).toEqual(idsOf(path));
		expect(copies.map(({ seq, kind, label }) => [seq, kind, label])).toEqual(
			path.map(({ kind, label }, index) => [String(index + 1), kind, label]),
		);
		const linear = new ModelConversation();
		linear.paths.set(0, path);
		const context = await sessions.getContext({ conversationId: newConversationId });
		expect(context.map(({ sourceMessageId }) => sourceMessageId)).toEqual(idsOf(linear.context(0)));
		expect(await sessions.fork(input)).toEqual(fork);
	}

	/** The items of this history say which message they are. */
	#session() {
		const session = createSession(this.conversationId, { store: gateway.store });
		return {
			replaceHistoryWithCompaction: session.replaceHistoryWithCompaction.bind(session),
			popItem: async () => {
				const { newest } = this.model;
				if (newest !== undefined) {
					await gateway.store.updateMessage({ messageId: newest.id, payload: { role: "user", text: newest.id } });
				}
				return session.popItem();
			},
		};
	}

	async #active(): Promise<number> {
		const branches = await sessions.listBranches({ conversationId: this.conversationId });
		return branches.find(({ active }) => active)?.branch ?? 0;
	}

	async #newest(): Promise<Message> {
		const { items } = await gateway.store.listMessages({
			conversationId: this.conversationId,
			order: "desc",
			limit: 1,
		});
		return items[0]!;
	}

	async checkPath(): Promise<void> {
		const messages = await drainMessages(gateway.store, { conversationId: this.conversationId, limit: 7 });
		expect(ids(messages)).toEqual(idsOf(this.model.path));
		expect(messages.map(({ seq, branch, kind, label }) => [Number(seq), branch, kind, label])).toEqual(
			this.model.path.map(({ seq, branch, kind, label }) => [seq, branch, kind, label]),
		);
	}

	async checkAll(): Promise<void> {
		const { model, conversationId } = this;
		const branches = await sessions.listBranches({ conversationId });
		expect(branches.map(({ branch, active, leafMessageId }) => [branch, active, leafMessageId])).toEqual(
			[...model.paths].map(([branch, path]) => [branch, branch === model.active, path.at(-1)?.id ?? null]),
		);
		for (const [branch, path] of model.paths) {
			const { items } = await sessions.listPath({ conversationId, branch, order: "desc", limit: 200 });
			expect(ids(items)).toEqual(idsOf(path).reverse());
			expect(ids(await sessions.getContext({ conversationId, branch }))).toEqual(idsOf(model.context(branch)));
		}
		const { nodes } = model;
		const tree = await sessions.getTree({ conversationId, limit: 200 });
		expect(tree.items.map(({ messageId, parentMessageId }) => [messageId, parentMessageId])).toEqual(
			nodes.map((node) => [node.id, model.parentOf(node)?.id ?? null]),
		);
		const leaves = nodes.filter((node) => model.childrenOf(node).length === 0);
		const branchPoints = nodes.filter((node) => model.childrenOf(node).length > 1);
		expect(ids(await sessions.listLeaves({ conversationId }))).toEqual(idsOf(leaves));
		expect(ids(await sessions.listBranchPoints({ conversationId }))).toEqual(idsOf(branchPoints));
		const labelled = nodes.filter(({ label }) => label !== null);
		expect(ids(await sessions.listLabels({ conversationId }))).toEqual(idsOf(labelled));
		expect(await sessions.getStats({ conversationId })).toMatchObject({
			messageCount: nodes.filter(({ kind }) => kind === "message").length,
			branchCount: model.paths.size,
			leafCount: leaves.length,
			maxDepth: Math.max(0, ...[...model.paths.values()].map((path) => path.length - 1)),
			compactionCount: nodes.filter(({ kind }) => kind === "compaction").length,
		});
	}
}

describe("a conversation with branches", () => {
	it("MSG-12: shows what a model shows after every series of operations", async () => {
		let run = 0;
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30, size: "max" }), async (steps) => {
				const pair = new Pair(`tree-${++run}`);
				await gateway.store.createConversation({ conversationId: pair.conversationId });
				for (const action of steps) {
					await pair.run(action);
					await pair.checkPath();
				}
				await pair.checkAll();
			}),
			{ numRuns: 60 },
		);
	}, 300_000);
});
