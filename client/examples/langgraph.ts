// Plans a trip in steps, waits for a person's approval, and books. The state lives in the store: the second call may
// run in another process, on another day.
import { createCheckpointer } from "@iga-pages/agent/store/langgraph";
import { Annotation, Command, interrupt, START, StateGraph } from "@langchain/langgraph";

const Trip = Annotation.Root({
	city: Annotation<string>(),
	log: Annotation<string[]>({ reducer: (log, entries) => [...log, ...entries], default: () => [] }),
});

const checkpointer = createCheckpointer();

const graph = new StateGraph(Trip)
	.addNode("plan", ({ city }) => ({ log: [`planned three days in ${city}`] }))
	.addNode("approve", () => ({ log: [`approved by ${interrupt("Who approves?")}`] }))
	.addNode("book", ({ city }) => ({ log: [`booked ${city}`] }))
	.addEdge(START, "plan")
	.addEdge("plan", "approve")
	.addEdge("approve", "book")
	.compile({ checkpointer });

export async function planTrip(tripId: string, city: string): Promise<void> {
	await graph.invoke({ city }, { configurable: { thread_id: tripId } });
}

export async function approveTrip(tripId: string, person: string): Promise<string[]> {
	const { log } = await graph.invoke(new Command({ resume: person }), { configurable: { thread_id: tripId } });
	await checkpointer.pruneThread(tripId, { keep: 5 });
	return log;
}

export async function forgetTrip(tripId: string): Promise<void> {
	await checkpointer.deleteThread(tripId);
}
