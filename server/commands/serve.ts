import { pino } from "pino";
import { createGateway } from "../app.ts";
import { readConfig } from "../config.ts";
import { StartError } from "../domain/start-error.ts";
import { hasTokens } from "../store/tokens.ts";
import { loadAgent } from "./agent.ts";
import { openFor, requireMigrations } from "./database.ts";
import { listen } from "./http-server.ts";
import { runUntilSignal } from "./lifetime.ts";
import { serveMetrics } from "./metrics.ts";

/**
 * Serves the gateway on the Postgres of DATABASE_URL. Refuses a database that lacks migrations, and one
 * without any token (rule ISO-3).
 */
export async function serve(agentPath?: string): Promise<void> {
	const { databaseUrl, ...config } = readConfig();
	if (databaseUrl === undefined) {
		throw new StartError(
			'"serve" needs DATABASE_URL, the address of a Postgres ≥ 14: set it, or try the gateway without one by "agent-gateway dev".',
		);
	}
	await runUntilSignal(async (lifetime) => {
		const agent = await loadAgent(agentPath);
		await openFor({ databaseUrl, pooler: config.pooler }, async (db) => {
			await requireMigrations(db);
			if (await hasTokens(db)) return;
			throw new StartError(
				'There is no token, and nobody gets in without one: run "agent-gateway project create <name>" and "agent-gateway token create --project <name>" first.',
			);
		});
		const logger = pino({ level: config.logLevel ?? "info" });
		const metrics = await serveMetrics(config, logger, lifetime);
		const graphiql = config.graphiql ?? false;
		const gateway = createGateway({
			...agent,
			databaseUrl,
			directUrl: config.directUrl,
			pooler: config.pooler,
			poolSize: config.poolSize,
			graphiql: graphiql ? {} : false,
			introspection: graphiql,
			origins: config.origins,
			requestsPerSecond: config.requestsPerSecond,
			limits: config.limits,
			logger,
			metrics,
		});
		const url = await listen(gateway, { databaseUrl, ...config }, lifetime);
		logger.info({ url }, "the gateway is ready");
	});
}
