import { END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { langGraphAgent } from "../../server/agents/langgraph.ts";

/** A graph that looks, and then asks two questions, one after the other. */
export function askingGraph(onLook = () => {}) {
	return new StateGraph(MessagesAnnotation)
		.addNode("look", () => {
			onLook();
			return { messages: [{ role: "assistant", content: "I looked." }] };
		})
		.addNode("ask", (_state, { configurable }) => {
			const first: unknown = interrupt({ question: "May I?" });
			const second: unknown = interrupt({ question: "Really?" });
			return { messages: [{ role: "assistant", content: `${first}, ${second}, in ${configurable?.["thread_id"]}` }] };
		})
		.addEdge(START, "look")
		.addEdge("look", "ask")
		.addEdge("ask", END)
		.compile();
}

/** It, as a gateway takes it. */
export const agent = langGraphAgent(askingGraph());
