import { join } from "node:path";
import { pino } from "pino";
import { createGateway } from "../app.ts";
import { type Config, readConfig } from "../config.ts";
import { prepareDataFolder } from "../data-folder.ts";
import { StartError } from "../domain/start-error.ts";
import { startEmbeddedPostgres } from "../embedded/embedded-postgres.ts";
import type { Database } from "../store/database.ts";
import { createProject, findProject } from "../store/projects.ts";
import { checkToken, createToken } from "../store/tokens.ts";
import { loadAgent } from "./agent.ts";
import { openFor } from "./database.ts";
import { listen } from "./http-server.ts";
import { type Lifetime, runUntilSignal } from "./lifetime.ts";
import { readLink, writeLink } from "./link.ts";
import { serveMetrics } from "./metrics.ts";
import { migrateWithProgress } from "./migrate.ts";

const PROJECT = "development";

/**
 * Serves the gateway for development: on the embedded Postgres unless DATABASE_URL is set, migrated, with a
 * project "development" whose link file lets programs below the same folder find the gateway.
 */
export async function dev(agentPath?: string): Promise<void> {
	const config = readConfig();
	await runUntilSignal(async (lifetime) => {
		const agent = await loadAgent(agentPath);
		await prepareDataFolder(config.dataFolder);
		const databaseUrl = config.databaseUrl ?? (await startDatabase(config, lifetime));
		await migrateWithProgress(config.directUrl ?? databaseUrl);
		const { pooler, poolSize } = config;
		const known = await readLink(config.dataFolder);
		const token = await openFor({ databaseUrl, pooler }, (db) => developmentToken(db, known?.token));
		const logger = pino({ level: config.logLevel ?? "warn" });
		const metrics = await serveMetrics(config, logger, lifetime);
		const graphiql = config.graphiql ?? true;
		const gateway = createGateway({
			...agent,
			databaseUrl,
			directUrl: config.directUrl,
			pooler,
			poolSize,
			graphiql: graphiql ? { token } : false,
			introspection: true,
			origins: config.origins,
			requestsPerSecond: config.requestsPerSecond,
			limits: config.limits,
			logger,
			metrics,
		});
		const url = await listen(gateway, config, lifetime);
		await writeLink(config.dataFolder, { url, token });
		process.stdout.write(welcome(config, url, graphiql));
	});
}

async function startDatabase(config: Config, lifetime: Lifetime): Promise<string> {
	const { url, stop } = await startEmbeddedPostgres({
		folder: config.dataFolder,
		log: (message) => process.stdout.write(`Embedded Postgres: ${message}\n`),
		onExit: (message) => lifetime.fail(new StartError(message)),
	});
	lifetime.onEnd(stop);
	return url;
}

/** The known token when it still works, else a new one of the project "development". */
async function developmentToken(db: Database, known: string | undefined): Promise<string> {
	if (known !== undefined && (await checkToken(db, known)) !== null) return known;
	const { projectId } = (await findProject(db, PROJECT)) ?? (await createProject(db, PROJECT));
	return createToken(db, { projectId, role: "admin", name: "development link" });
}

function welcome(config: Config, url: string, graphiql: boolean): string {
	const lines = [
		"The agent store is ready.",
		`  GraphQL   ${url}`,
		...(graphiql ? [`  GraphiQL  ${url} (open it in a browser)`] : []),
		`  Link      ${join(config.dataFolder, "link.json")} (address and token; the SDK finds it by itself)`,
		"",
		'Next: import { store } from "@iga-pages/agent/store" in a program that runs in this folder or below it.',
		"Ctrl-C stops the gateway; the data stays.",
	];
	return `\n${lines.join("\n")}\n`;
}
