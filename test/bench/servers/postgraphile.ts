import { createServer } from "node:http";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { POOL_SIZE } from "./queries.ts";

/** PostGraphile on the gateway's tables, with the preset that it recommends. */
const [, , connectionString = ""] = process.argv;

const preset: GraphileConfig.Preset = {
	extends: [PostGraphileAmberPreset],
	// Lists are ordered by a part of a key, which it would not offer otherwise.
	disablePlugins: ["PgIndexBehaviorsPlugin"],
	pgServices: [makePgService({ connectionString, schemas: ["public", "peers"], poolConfig: { max: POOL_SIZE } })],
	grafserv: { graphqlPath: "/graphql", watch: false },
	grafast: { explain: false },
};

const server = createServer();
const serv = postgraphile(preset).createServ(grafserv);
await serv.addTo(server);
server.listen(0, "127.0.0.1");
