import { namePiece } from "../../server/domain/checkpoint-pieces.ts";
import { draftMessage } from "../../server/domain/messages.ts";
import { getAgentState, listAgentStates, saveAgentState } from "../../server/store/agent-states.ts";
import * as appends from "../../server/store/appends.ts";
import { APPENDS } from "../../server/store/appends-together.ts";
import { branchAt, listBranches, switchBranch } from "../../server/store/branches.ts";
import { checkBrowserToken, createBrowserToken, revokeBrowserToken } from "../../server/store/browser-tokens.ts";
import { getChannelHistories } from "../../server/store/checkpoint-history.ts";
import { getCheckpoint, listCheckpoints } from "../../server/store/checkpoint-pages.ts";
import { pruneCheckpointThread } from "../../server/store/checkpoint-pruning.ts";
import { deleteCheckpointThread, putCheckpoint, putCheckpointWrites } from "../../server/store/checkpoints.ts";
import { getConfig, setConfig, setThinking } from "../../server/store/configs.ts";
import { appendBranchSummary, appendCustom, compact, listContext } from "../../server/store/contexts.ts";
import * as conversations from "../../server/store/conversations.ts";
import { fork } from "../../server/store/forks.ts";
import * as history from "../../server/store/history.ts";
import { listHistory } from "../../server/store/history-pages.ts";
import { setLabel } from "../../server/store/labels.ts";
import { listMessages } from "../../server/store/message-pages.ts";
import * as messages from "../../server/store/messages.ts";
import * as runs from "../../server/store/runs.ts";
import type { Scope } from "../../server/store/scope.ts";
import * as stateCheckpoints from "../../server/store/state-checkpoints.ts";
import * as states from "../../server/store/states.ts";
import { Tails } from "../../server/store/tails.ts";
import { checkToken } from "../../server/store/tokens.ts";
import { listTranscriptEntries, listTranscriptSubpaths } from "../../server/store/transcript-pages.ts";
import * as transcripts from "../../server/store/transcripts.ts";
import * as trees from "../../server/store/trees.ts";

const PAGE = { first: 20 };
const LONG = { conversationId: "long" };
const BRANCHED = { conversationId: "branched" };
const VALUE = { type: "json", data: "e30=" };
const RUN_ID = "00000000-0000-4000-8000-00000000000f";

/**
 * Work that makes the store run nearly all of its statements on what `grow` made: pages of what is long, and of what is
 * read, copied or removed whole, something short.
 */
export const EVERY_WORK: Record<string, (scope: Scope, token: string) => Promise<unknown>> = {
	async conversations(scope) {
		const { identity } = scope;
		await conversations.createConversation(scope, { conversationId: "new" });
		await conversations.getConversations(scope, ["c 5"]);
		await conversations.listConversations(scope, PAGE);
		await conversations.listConversations(
			{ ...scope, identity: { ...identity, conversationIds: ["c 5", "long"] } },
			PAGE,
		);
		await conversations.updateConversation(scope, { conversationId: "c 5", metadata: { a: 1 } });
		await conversations.deleteConversation(scope, { conversationId: "c 7" });
	},
	async messages(scope) {
		await appends.appendMessage(scope, { ...LONG, messageId: "one more", payload: 1 });
		await appends.appendMessage(scope, { ...LONG, messageId: "and one", payload: 1, expectedLastSeq: null });
		const together = ["together", "one more"].map((messageId) => ({
			conversationId: LONG.conversationId,
			draft: draftMessage("input", { messageId, payload: 1 }, scope.limits),
		}));
		await APPENDS.run(scope.db, scope.identity.projectId, together);
		await messages.getMessages(scope, ["long 5", "m 6"]);
		for (const order of ["asc", "desc"] as const) {
			await listMessages(scope, { ...LONG, ...PAGE, order });
			await listMessages(scope, { ...BRANCHED, ...PAGE, order });
			await listMessages(scope, { ...LONG, ...PAGE, order, allBranches: true });
		}
		await messages.updateMessage(scope, { messageId: "long 7", role: "user" });
		await messages.deleteMessage(scope, { messageId: "long 8" });
		await messages.clearMessages(scope, { conversationId: "c 9" });
		const tails = new Tails({ listenUrl: undefined, limits: scope.limits, onError: () => {} });
		const tail = tails.open(scope, { ...LONG, last: PAGE.first }, async () => {});
		for (let taken = 0; taken <= PAGE.first; taken++) await tail.next();
		await tail.return?.();
	},
	async sessions(scope) {
		await listBranches(scope, ["c 10"]);
		await branchAt(scope, { conversationId: "c 10", messageId: null });
		await appends.appendMessage(scope, { conversationId: "c 10", messageId: "c 10 new", payload: 1 });
		await branchAt(scope, { conversationId: "c 10", messageId: "m 10" });
		await switchBranch(scope, { conversationId: "c 10", branch: 1 });
		await trees.listTree(scope, { ...LONG, ...PAGE });
		await trees.listLeaves(scope, { conversationId: "c 10" });
		await trees.listBranchPoints(scope, { conversationId: "c 10" });
		await trees.getStats(scope, { conversationId: "c 10" });
		await setLabel(scope, { messageId: "long 3", label: "here" });
		await trees.listLabels(scope, LONG);
		await setConfig(scope, { ...LONG, config: {} });
		await setThinking(scope, { ...LONG, thinking: null });
		await getConfig(scope, LONG);
		await compact(scope, { conversationId: "c 11", messageId: "kept", summary: "s", firstKeptMessageId: "m 11" });
		await appendBranchSummary(scope, { conversationId: "c 11", messageId: "summary", summary: "s" });
		await appendCustom(scope, { conversationId: "c 11", messageId: "custom", payload: 1 });
		await listContext(scope, LONG);
		await fork(scope, { conversationId: "c 11", newConversationId: "fork" });
	},
	async history(scope) {
		const call = { type: "function_call", callId: "call", name: "f", arguments: "{}" };
		const turn = (id: string) => [{ messageId: id, payload: call }];
		await history.appendHistory(scope, { conversationId: "c 20", messages: turn("call") });
		const replacements = [{ callId: "call", replacement: { ...call, arguments: "{1}" } }];
		await history.applyHistoryMutations(scope, { conversationId: "c 20", operationId: "1", replacements });
		await history.popHistory(scope, { conversationId: "c 20", operationId: "2" });
		await history.replaceHistory(scope, { conversationId: "c 20", operationId: "3", messages: turn("other") });
		const suffix = { expectedSuffix: [call], messages: turn("third") };
		await history.applyHistoryTransaction(scope, { conversationId: "c 20", operationId: "4", ...suffix });
		await history.clearHistory(scope, { conversationId: "c 20", operationId: "5" });
		// An empty branch of one's own moves back along its parent.
		await branchAt(scope, { conversationId: "c 21", messageId: null });
		await switchBranch(scope, { conversationId: "c 21", branch: 0 });
		await appends.appendMessage(scope, { conversationId: "c 21", messageId: "tip", payload: 1 });
		await branchAt(scope, { conversationId: "c 21", messageId: "m 21" });
		await history.popHistory(scope, { conversationId: "c 21", operationId: "6" });
		await listHistory(scope, { ...LONG, ...PAGE });
	},
	async runs(scope) {
		const draft = {
			messageId: "asked",
			kind: "message",
			role: "user",
			type: null,
			payload: "1",
			metadata: "{}",
		} as const;
		const drafts = { bytes: 3, firstKeptSeq: null };
		const started = { ...LONG, runId: RUN_ID, leaseMs: 60_000 };
		const run = await runs.startRun(scope, { ...started, draft: { ...draft, ...drafts } });
		await runs.renewRun(scope, run, 60_000);
		await runs.appendToRun(scope, run, [{ ...draft, ...drafts, messageId: "answered" }]);
		await runs.finishRun(scope, run, [], { status: "finished" });
		await runs.getThread(scope, "long");
	},
	async states(scope) {
		await states.saveState(scope, { key: "new", operationId: "1", state: {} });
		await states.getState(scope, { key: "s 2" });
		await states.listStates(scope, PAGE);
		await states.deleteState(scope, { key: "s 3" });
		await stateCheckpoints.appendStateCheckpoint(scope, { key: "s 4", operationId: "new", state: {} });
		await stateCheckpoints.getStateCheckpoint(scope, { key: "s 1" });
		await stateCheckpoints.listStateCheckpoints(scope, { key: "s 1", ...PAGE });
		await stateCheckpoints.pruneStateCheckpoints(scope, { key: "s 4", keep: 1 });
		await saveAgentState(scope, { conversationId: "agent", operationId: "1", messages: ["a"], state: {} });
		await getAgentState(scope, LONG);
		await listAgentStates(scope, PAGE);
	},
	async checkpoints(scope) {
		const place = { threadId: "long", checkpointNs: "", checkpointId: "9999999" };
		const value = { channel: "messages", version: "new" };
		await putCheckpoint(scope, {
			...place,
			format: 4,
			checkpoint: VALUE,
			metadata: VALUE,
			channelVersions: [value],
			values: [{ ...value, value: VALUE }],
		});
		const list = { channel: "list", version: "1", value: VALUE, pieces: [namePiece(Buffer.from("[1,"))] };
		for (const version of ["1", "2"]) {
			await putCheckpoint(scope, {
				...place,
				format: 4,
				checkpoint: VALUE,
				metadata: VALUE,
				channelVersions: [{ channel: "list", version }],
				values: [{ ...list, version, base: "1" }],
				pieces: version === "1" ? [Buffer.from("[1,").toString("base64")] : [],
				taskWrites: [{ ...place, taskId: "along", writes: [{ idx: 0, channel: "list", value: VALUE }] }],
			});
		}
		await putCheckpointWrites(scope, {
			...place,
			taskId: "t",
			writes: [{ idx: 0, channel: "messages", value: VALUE }],
		});
		await getCheckpoint(scope, { threadId: "long" });
		await getCheckpoint(scope, place);
		for (let given = 0; given < 8; given++) {
			await listCheckpoints(scope, {
				...PAGE,
				threadId: given & 1 ? "long" : null,
				checkpointNs: given & 2 ? "" : null,
				checkpointId: given & 4 ? "9999999" : null,
			});
		}
		await getChannelHistories(scope, { threadId: "long", channels: ["messages"] });
		await getChannelHistories(scope, { ...place, channels: ["messages"] });
		await pruneCheckpointThread(scope, { threadId: "t 3", keep: 1 });
		await deleteCheckpointThread(scope, { threadId: "t 5" });
	},
	async transcripts(scope) {
		const main = { projectKey: "key", sessionId: "s 1" };
		await transcripts.appendTranscript(scope, { ...main, batchId: "b", start: 0, entries: ['{"uuid":"u"}'] });
		await transcripts.appendTranscript(scope, { ...main, sessionId: "new", batchId: "b", start: 0, entries: ["{}"] });
		await transcripts.listTranscripts(scope, { projectKey: "key", ...PAGE });
		await transcripts.listTranscriptSummaries(scope, { projectKey: "key", ...PAGE });
		await listTranscriptEntries(scope, { ...main, ...PAGE });
		await listTranscriptSubpaths(scope, { projectKey: "key", sessionId: "s 2", ...PAGE });
		await transcripts.setTranscriptSummary(scope, { projectKey: "key", sessionId: "s 3", mtime: 3, summary: "{}" });
		await transcripts.deleteTranscript(scope, { projectKey: "key", sessionId: "s 2", subpath: "part 7" });
		await transcripts.deleteTranscript(scope, { projectKey: "key", sessionId: "new" });
	},
	async tokens(scope, token) {
		await checkToken(scope.db, token);
		const made = await createBrowserToken(scope, { conversationIds: ["long"] });
		await checkBrowserToken(scope.db, made.token);
		await revokeBrowserToken(scope, { tokenId: made.tokenId });
	},
};
