import { describe, expectTypeOf, test } from "vitest";
import type {
	AppendMessageInput,
	AppendMessagesInput,
	JsonObject,
	JsonValue,
	Message,
	MessageInput,
	Page,
	Store,
	StoreError,
	UpdateConversationInput,
} from "../../client/store.ts";

interface Part {
	kind: "text";
	text: string;
	note?: string;
}
interface Turn {
	parts: Part[];
	readonly tags: readonly string[];
	reply?: Turn;
}

declare const turn: Turn;
declare const part: Part;
declare const json: JsonValue;
declare const anything: unknown;
declare const message: Message;
const conversationId = "c";

/** Never run: `tsc` is what tests these lines. */
const accepted = [
	(store: Store) => store.appendMessage({ conversationId, payload: turn }),
	(store: Store) => store.appendMessage({ conversationId, payload: part, metadata: part, role: null, type: undefined }),
	(store: Store) => store.appendMessage({ conversationId, payload: null }),
	(store: Store) => store.appendMessage({ conversationId, payload: json }),
	(store: Store) => store.appendMessage({ conversationId, payload: message.payload, metadata: message.metadata }),
	(store: Store) => store.appendMessage({ conversationId, payload: [1, "a", { turn, list: [null] }] }),
	(store: Store) => store.appendMessage({ conversationId, payload: ["a", { b: [1] }] as const }),
	(store: Store) => store.appendMessages({ conversationId, messages: [turn, turn].map((payload) => ({ payload })) }),
	(store: Store) => store.appendMessages({ conversationId, messages: [{ payload: { a: 1 } }, { payload: ["b"] }] }),
	(store: Store) => store.appendMessages({ conversationId, messages: [{ payload: turn }, { payload: "b" }] }),
	(store: Store) => store.createConversation(),
	(store: Store) => store.createConversation({ conversationId: undefined, metadata: part }),
	(store: Store) => store.createConversation(undefined, { signal: undefined, timeoutMs: 1 }),
	(store: Store) => store.updateConversation({ conversationId, metadata: { title: "x", old: null } }),
	(store: Store) => store.updateMessage({ messageId: "m", payload: turn, metadata: undefined }),
	(store: Store) => store.listMessages({ conversationId, limit: undefined, cursor: null, order: "desc" }),
];

const refused = [
	// @ts-expect-error a payload is required
	(store: Store) => store.appendMessage({ conversationId }),
	// @ts-expect-error undefined is no JSON
	(store: Store) => store.appendMessage({ conversationId, payload: undefined }),
	// @ts-expect-error a Date would come back as a string
	(store: Store) => store.appendMessage({ conversationId, payload: new Date() }),
	// @ts-expect-error also deep inside
	(store: Store) => store.appendMessage({ conversationId, payload: { list: [{ when: new Date() }] } }),
	// @ts-expect-error functions are no JSON
	(store: Store) => store.appendMessage({ conversationId, payload: { run: () => 1 } }),
	// @ts-expect-error undefined inside is lost
	(store: Store) => store.appendMessage({ conversationId, payload: { a: undefined } }),
	// @ts-expect-error undefined in an array is refused at run time
	(store: Store) => store.appendMessage({ conversationId, payload: [undefined] }),
	// @ts-expect-error bigints are no JSON
	(store: Store) => store.appendMessage({ conversationId, payload: 1n }),
	// @ts-expect-error Maps are no JSON
	(store: Store) => store.appendMessage({ conversationId, payload: new Map() }),
	// @ts-expect-error errors are no JSON
	(store: Store) => store.appendMessage({ conversationId, payload: { error: new Error("x") } }),
	// @ts-expect-error nobody knows what it is
	(store: Store) => store.appendMessage({ conversationId, payload: anything }),
	// @ts-expect-error metadata are an object
	(store: Store) => store.appendMessage({ conversationId, payload: 1, metadata: [1] }),
	// @ts-expect-error metadata are an object
	(store: Store) => store.appendMessage({ conversationId, payload: 1, metadata: null }),
	// @ts-expect-error an unknown argument
	(store: Store) => store.appendMessage({ conversationId, payload: 1, text: "x" }),
	// @ts-expect-error an unknown argument inside a batch
	(store: Store) => store.appendMessages({ conversationId, messages: [{ payload: 1, seq: "1" }] }),
	// @ts-expect-error a Date inside a batch
	(store: Store) => store.appendMessages({ conversationId, messages: [{ payload: { when: new Date() } }] }),
	// @ts-expect-error an order that is none
	(store: Store) => store.listMessages({ conversationId, order: "newest" }),
	// @ts-expect-error an unknown option
	(store: Store) => store.getMessage({ messageId: "m" }, { timeout: 1 }),
];

describe("types", () => {
	test("VAL-5, VAL-8: inputs are what can be stored", () => {
		expectTypeOf(accepted).not.toBeAny();
		expectTypeOf(refused).not.toBeAny();
		expectTypeOf({ conversationId, payload: 1 }).toExtend<AppendMessageInput>();
		expectTypeOf<MessageInput>().toExtend<AppendMessagesInput["messages"][number]>();
		expectTypeOf<UpdateConversationInput["metadata"]>().toEqualTypeOf<JsonObject>();
	});

	test("results are the documented objects", () => {
		expectTypeOf<Store["listMessages"]>().returns.resolves.toEqualTypeOf<Page<Message>>();
		expectTypeOf<Store["getMessage"]>().returns.resolves.toEqualTypeOf<Message | null>();
		expectTypeOf<Store["appendMessages"]>().returns.resolves.toEqualTypeOf<Message[]>();
		expectTypeOf<Store["clearMessages"]>().returns.resolves.toEqualTypeOf<void>();
		expectTypeOf<Message["payload"]>().toEqualTypeOf<JsonValue>();
		expectTypeOf<Message["seq"]>().toEqualTypeOf<string>();
		expectTypeOf<StoreError["status"]>().toEqualTypeOf<number | undefined>();
	});
});
