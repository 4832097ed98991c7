import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../server/embedded/embedded-postgres.ts";
import { migrate } from "../../server/store/migrate.ts";

declare module "vitest" {
	interface ProvidedContext {
		/** Of a Postgres on which tests may create databases. */
		postgresUrl: string;
		/** Name of a migrated database that every test database is a copy of. */
		templateName: string;
		/** Whether the Postgres is one of Citus: then there is no template, and each test database is distributed. */
		distributed: boolean;
	}
}

/**
 * Starts one Postgres for the whole run, or takes TEST_DATABASE_URL, and migrates the template of all test databases; or
 * takes TEST_CITUS_URL, a coordinator.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
	const citus = process.env["TEST_CITUS_URL"];
	if (citus !== undefined) process.stdout.write(`Every database of this run is distributed by Citus.\n`);
	const given = citus ?? process.env["TEST_DATABASE_URL"];
	project.provide("distributed", citus !== undefined);
	const folder = given === undefined ? await mkdtemp(join(tmpdir(), "agent-store-test-")) : undefined;
	const embedded =
		folder === undefined ? undefined : await startEmbeddedPostgres({ folder, durable: false, maxConnections: 300 });
	const postgresUrl = given ?? embedded!.url;
	const templateName = `agent_store_template_${process.pid}`;
	const admin = new pg.Client(postgresUrl);
	await admin.connect();
	admin.on("error", () => {});
	await admin.query(`CREATE DATABASE ${templateName}`);
	await migrate(Object.assign(new URL(postgresUrl), { pathname: `/${templateName}` }).href);
	project.provide("postgresUrl", postgresUrl);
	project.provide("templateName", templateName);
	return async () => {
		await admin.query(`DROP DATABASE ${templateName}`);
		await admin.end();
		await embedded?.stop();
		if (folder !== undefined) await rm(folder, { recursive: true, force: true });
	};
}
