import { sessions } from "@iga-pages/agent/sessions";
import { store } from "@iga-pages/agent/store";

/** Two plans in one conversation: the second question leaves the first one's answer where it is. */
export async function branchingExample() {
	const { conversationId } = await store.createConversation({ metadata: { cwd: "/workspace" } });
	const branchPoint = await store.appendMessage({ conversationId, role: "user", payload: { text: "Plan A" } });
	await store.appendMessage({ conversationId, role: "assistant", payload: { text: "First plan" } });

	await sessions.branch({ conversationId, messageId: branchPoint.messageId });
	await store.appendMessage({ conversationId, role: "user", payload: { text: "Try a different plan" } });

	// What a model should see: the path of the active branch.
	const messages = await sessions.getContext({ conversationId });
	return { conversationId, messages };
}
