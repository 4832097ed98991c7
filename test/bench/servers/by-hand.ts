import fastify from "fastify";
import type { Call } from "../call.ts";
import { onPostgres } from "./pg-rows.ts";
import { readOptions } from "./queries.ts";

/** By hand: Fastify and pg with the gateway's SQL; no GraphQL, and nobody is asked who they are. */
const postgres = onPostgres(readOptions());
const app = fastify();

type Body<Kind> = { Body: Extract<Call, { kind: Kind }> };

app.post<Body<"append">>("/append", ({ body }) => postgres.append(body));
app.post<Body<"messages">>("/messages", ({ body }) => postgres.messages(body));
app.post<Body<"message">>("/message", ({ body }) => postgres.message(body));
app.post<Body<"conversations">>("/conversations", ({ body }) => postgres.conversations(body));

await app.listen({ host: "127.0.0.1", port: 0 });
