// A service that answers with an agent and remembers: threads in Postgres, bearer tokens, a graceful end.
//
//   export DATABASE_URL=postgres://agent:secret@localhost:5432/agent
//   npx agent-gateway migrate
//   npx agent-gateway project create shop
//   TOKEN=$(npx agent-gateway token create --project shop)
//   npx tsx server/examples/http.ts
//
// And in another terminal:
//
//   curl http://127.0.0.1:4000/api/chat -H "authorization: Bearer $TOKEN" -H "content-type: application/json" \
//     -d '{"message":"Summarize our conversation","thread_id":"thread-123","stream":false}'
//   curl -N http://127.0.0.1:4000/api/chat -H "authorization: Bearer $TOKEN" -H "content-type: application/json" \
//     -d '{"message":"And now piece by piece","thread_id":"thread-123","stream":true}'
//   curl http://127.0.0.1:4000/api/threads/thread-123 -H "authorization: Bearer $TOKEN"
//   curl -X POST http://127.0.0.1:4000/api/threads/thread-123/branch -H "authorization: Bearer $TOKEN"
//   curl http://127.0.0.1:4000/api/threads -H "authorization: Bearer $TOKEN"
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type Agent, createGateway } from "@iga-pages/agent-gateway";

/**
 * Your model goes here: it gets the context and the message, and what it says is yielded as it comes. With the OpenAI
 * Agents SDK or LangGraph, take `openAIAgent` or `langGraphAgent` of this package.
 */
const agent: Agent = async function* ({ context, message, config, signal }) {
	const said = context.filter(({ role }) => role === "user").length;
	const words = `You (to ${config["model"]}) said something for the ${said + 1}. time, seq ${message?.seq}.`.split(" ");
	for (const [index, word] of words.entries()) {
		await delay(20, undefined, { signal });
		yield index === 0 ? word : ` ${word}`;
	}
};

const { DATABASE_URL: databaseUrl = "", PORT: port = "4000" } = process.env;

const gateway = createGateway({ databaseUrl, agent, agentOptions: { config: { model: "echo" } } });
const server = createServer(gateway.handler).listen(Number(port), "127.0.0.1");
await once(server, "listening");
console.log(`Serving on http://127.0.0.1:${(server.address() as AddressInfo).port}`);

// Takes no more requests, and lets those under way end: for 10 s, then they are told that they did not.
await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
const closed = once(server, "close");
server.close();
await gateway.close();
server.closeIdleConnections();
await Promise.race([closed, delay(1_000, undefined, { ref: false })]);
process.exit(0);
