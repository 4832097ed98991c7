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
	}
}

/** Starts one Postgres for the whole run, or takes TEST_DATABASE_URL, and migrates the template of all test databases. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
	const given = process.env["TEST_DATABASE_URL"];
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
