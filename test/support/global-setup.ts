import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../server/embedded/embedded-postgres.ts";

declare module "vitest" {
	interface ProvidedContext {
		/** Of a Postgres on which tests may create databases. */
		postgresUrl: string;
		/** Name of a migrated database that every test database is a copy of. */
		templateName: string;
	}
}

/** Starts one Postgres for the whole run, or takes TEST_DATABASE_URL, and migrates the template of all test databases. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const given = process.env["TEST_DATABASE_URL"];
	const folder = given === undefined ? await mkdtemp(join(tmpdir(), "agent-store-test-")) : undefined;
	const embedded =
		folder === undefined ? undefined : await startEmbeddedPostgres({ folder, durable: false, maxConnections: 300 });
	const postgresUrl = given ?? embedded!.url;
	const templateName = `agent_store_template_${process.pid}`;
	const admin = new pg.Client(postgresUrl);
	await admin.connect();
	await admin.query(`CREATE DATABASE ${templateName}`);
	const template = new pg.Client(Object.assign(new URL(postgresUrl), { pathname: `/${templateName}` }).href);
	await template.connect();
	const migrations = new URL("../../prisma/migrations/", import.meta.url);
	for (const name of (await readdir(migrations)).sort().filter((entry) => /^\d/.test(entry))) {
		await template.query(await readFile(new URL(`${name}/migration.sql`, migrations), "utf8"));
	}
	await template.end();
	project.provide("postgresUrl", postgresUrl);
	project.provide("templateName", templateName);
	return async () => {
		await admin.query(`DROP DATABASE ${templateName}`);
		await admin.end();
		await embedded?.stop();
		if (folder !== undefined) await rm(folder, { recursive: true, force: true });
	};
}
