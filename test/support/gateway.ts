import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createStore, type Store, type StoreOptions } from "@iga-pages/agent/store";
import { createGateway, type Gateway, type GatewayOptions } from "@iga-pages/agent-gateway";
import { pino } from "pino";
import type { Role } from "../../server/domain/access.ts";
import { Database } from "../../server/store/database.ts";
import { createProject } from "../../server/store/projects.ts";
import { createToken } from "../../server/store/tokens.ts";
import { createDatabase } from "./database.ts";

/** A tenant of a test gateway. */
export interface TestProject {
	projectId: string;
	token: string;
	/** The SDK, over real HTTP. */
	store: Store;
}

/** A gateway on a real port with a database of its own. */
export interface TestGateway extends TestProject {
	/** Of its GraphQL endpoint. */
	url: string;
	databaseUrl: string;
	/** SQL beside the gateway, to look at rows or to get in the way. */
	db: Database;
	gateway: Gateway;
	/** A further project, isolated from the first. */
	createProject(options?: { role?: Role; store?: StoreOptions }): Promise<TestProject>;
	/** Posts a body as it is, with the first project's token unless headers say otherwise. */
	post(body: string | object, headers?: Record<string, string>): Promise<Response>;
	close(): Promise<void>;
}

/** Starts a gateway; `databaseUrl` makes it share the database of another one. */
export async function startGateway(
	options: Partial<GatewayOptions> & { store?: StoreOptions } = {},
): Promise<TestGateway> {
	const { store: storeOptions, ...gatewayOptions } = options;
	const database = options.databaseUrl === undefined ? await createDatabase() : undefined;
	const databaseUrl = options.databaseUrl ?? database!.url;
	const db = new Database({ url: databaseUrl, poolSize: 2 });
	const gateway = createGateway({ logger: pino({ level: "silent" }), ...gatewayOptions, databaseUrl });
	const server = createServer(gateway.handler).listen(0, "127.0.0.1");
	await once(server, "listening");
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
	let projects = 0;
	const createTestProject: TestGateway["createProject"] = async ({ role = "write", store = storeOptions } = {}) => {
		const name = `project-${process.pid}-${Date.now()}-${++projects}`;
		const { projectId } = await createProject(db, name);
		const token = await createToken(db, { projectId, role, name: "test" });
		return { projectId, token, store: createStore({ url, token, ...store }) };
	};
	const first = await createTestProject();
	return {
		...first,
		url,
		databaseUrl,
		db,
		gateway,
		createProject: createTestProject,
		post: (body, headers = {}) =>
			fetch(url, {
				method: "POST",
				headers: { "content-type": "application/json", authorization: `Bearer ${first.token}`, ...headers },
				body: typeof body === "string" ? body : JSON.stringify(body),
			}),
		close: async () => {
			server.close();
			server.closeAllConnections();
			await gateway.close();
			await db.close();
			await database?.drop();
		},
	};
}
