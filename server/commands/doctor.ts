import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Config, readConfig } from "../config.ts";
import { StartError } from "../domain/start-error.ts";
import { useEmbeddedPostgres } from "../embedded/embedded-postgres.ts";
import type { Database } from "../store/database.ts";
import { countTokens, inspectServer, type ServerFacts } from "../store/diagnosis.ts";
import { pendingMigrations } from "../store/migrate.ts";
import { readSearchedBytes, readSearchState, type SearchState } from "../store/search-index.ts";
import { openFor } from "./database.ts";
import { inMiB } from "./search.ts";

type Verdict = "ok" | "warn" | "fail";

/** Says what a check found, and with `warn` and `fail` what to do. */
type Report = (verdict: Verdict, subject: string, finding: string) => void;

const OLDEST_NODE = [20, 19] as const;
const OLDEST_POSTGRES = 140_000;
/** A difference that shows: in times, and in when tokens end. */
const CLOCK_TOLERANCE_MS = 1_000;

/**
 * Checks what a gateway needs and changes nothing. Prints a line a check; what has to be mended before a gateway
 * works is a `fail`, what an operator should know a `warn`.
 *
 * @throws StartError when anything failed.
 */
export async function runDoctor(): Promise<void> {
	let failed = 0;
	const report: Report = (verdict, subject, finding) => {
		if (verdict === "fail") failed += 1;
		process.stdout.write(`${verdict.padEnd(4)}  ${subject.padEnd(13)}  ${finding}\n`);
	};
	await orFail(report, "configuration", async () => {
		checkNode(report);
		const config = readConfig();
		const { host, port, poolSize, pooler } = config;
		report("ok", "configuration", `port ${port} on ${host}, ${poolSize} connections, pooler ${pooler}`);
		await orFail(report, "database", () => checkDatabase(config, report));
	});
	if (failed > 0) throw new StartError(failed === 1 ? "One check failed." : `${failed} checks failed.`);
}

/** What the operator can mend is a finding; anything else is a bug of ours and shows as one. */
async function orFail(report: Report, subject: string, work: () => Promise<void>): Promise<void> {
	try {
		await work();
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		report("fail", subject, error.message);
	}
}

function checkNode(report: Report): void {
	const { node } = process.versions;
	const [major = 0, minor = 0] = node.split(".").map(Number);
	const old = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
	report(old ? "fail" : "ok", "node", old ? `Node ${node}: use ${OLDEST_NODE.join(".")} or newer` : `Node ${node}`);
}

async function checkDatabase(config: Config, report: Report): Promise<void> {
	const { databaseUrl, dataFolder, pooler } = config;
	if (databaseUrl !== undefined) {
		return openFor({ databaseUrl, pooler }, (db) => examine(db, config, report)).catch(explainPooler);
	}
	if (!existsSync(join(dataFolder, "postgres", "data"))) {
		throw new StartError(
			`There is none: set DATABASE_URL, or let "agent-gateway dev" make its own in ${dataFolder} (AGENT_STORE_DATA).`,
		);
	}
	const embedded = await useEmbeddedPostgres({ folder: dataFolder });
	try {
		await openFor({ databaseUrl: embedded.url, pooler: "none" }, (db) => examine(db, config, report));
	} finally {
		await embedded.stop();
	}
}

function explainPooler(error: unknown): never {
	if (!(error instanceof StartError) || !/unsupported startup parameter/.test(error.message)) throw error;
	throw new StartError(`${error.message} A pooler stands before it: set DATABASE_POOLER=transaction.`, {
		cause: error,
	});
}

async function examine(db: Database, config: Config, report: Report): Promise<void> {
	const facts = await inspectServer(db);
	checkServer(facts, report);
	checkConnections(facts, config, report);
	await checkDirectUrl(facts, config, report);
	const behind = Math.abs(facts.clockAheadMs) > CLOCK_TOLERANCE_MS;
	report(
		behind ? "warn" : "ok",
		"clock",
		`the server's differs from this machine's by ${Math.abs(facts.clockAheadMs)} ms${behind ? ": let both follow a time server" : ""}`,
	);
	const pending = await pendingMigrations(db);
	if (pending.length > 0) {
		return report("fail", "schema", `lacks the migrations ${pending.join(", ")}: run "agent-gateway migrate"`);
	}
	report("ok", "schema", "up to date");
	await checkSearch(db, report);
	const { valid, ending } = await countTokens(db);
	if (valid === 0) {
		report(
			"fail",
			"tokens",
			'nobody gets in: run "agent-gateway project create <name>" and "agent-gateway token create --project <name>"',
		);
	} else if (ending > 0) {
		report("warn", "tokens", `${valid} valid, ${ending} of them end within a week: make new ones in time`);
	} else report("ok", "tokens", `${valid} valid`);
}

const SEARCH: Record<SearchState["state"], [verdict: Verdict, finding: string]> = {
	enabled: ["ok", "on, its indexes are complete"],
	unfinished: [
		"warn",
		'off, its indexes are not complete or another release\'s: run "agent-gateway search enable", or wait for the one that runs',
	],
	disabled: ["ok", 'off: "agent-gateway search enable" makes its indexes'],
};

async function checkSearch(db: Database, report: Report): Promise<void> {
	const { state, bytes } = await readSearchState(db);
	const [verdict, finding] = SEARCH[state];
	const sizes = `${inMiB(bytes)} of indexes, ${inMiB(await readSearchedBytes(db))} of tables`;
	report(verdict, "search", `${finding} (${sizes})`);
}

function checkServer(facts: ServerFacts, report: Report): void {
	const { version, versionNumber, database, role, encoding, readOnly, durable } = facts;
	if (versionNumber < OLDEST_POSTGRES) report("fail", "database", `Postgres ${version}: use 14 or newer`);
	else report("ok", "database", `Postgres ${version}, database ${database} as ${role}`);
	if (encoding !== "UTF8") {
		report("fail", "encoding", `${encoding}: make a database with ENCODING 'UTF8', or not every text can be stored`);
	}
	if (readOnly) report("fail", "writing", "it may only be read (a standby, or a setting): use the primary");
	if (!durable) {
		report(
			"warn",
			"durability",
			"fsync, full_page_writes or synchronous_commit is off: a crash of the server loses acknowledged writes",
		);
	}
}

function checkConnections(facts: ServerFacts, { pooler, poolSize }: Config, report: Report): void {
	const { connections, usedConnections, bounded, role } = facts;
	const free = Math.max(0, connections - usedConnections);
	const state = `${free} of ${connections} connections free, a gateway takes up to ${poolSize}`;
	// Behind a pooler, the connections are the pooler's.
	if (pooler === "none" && free < poolSize) {
		report("warn", "pool", `${state}: lower DATABASE_POOL_SIZE or raise max_connections`);
	} else report("ok", "pool", state);
	if (!bounded) {
		report(
			"warn",
			"timeouts",
			`none behind the pooler: ALTER ROLE "${role}" SET statement_timeout = '25s'; ALTER ROLE "${role}" SET lock_timeout = '10s'`,
		);
	}
}

async function checkDirectUrl(facts: ServerFacts, { databaseUrl, directUrl }: Config, report: Report): Promise<void> {
	if (directUrl === undefined || directUrl === databaseUrl) return;
	await orFail(report, "direct url", () =>
		openFor({ databaseUrl: directUrl, pooler: "none" }, async (db) => {
			const { startedAt, database } = await inspectServer(db);
			const same = startedAt === facts.startedAt && database === facts.database;
			const finding = `DATABASE_DIRECT_URL leads to ${same ? "the same" : "another"} database`;
			report(same ? "ok" : "fail", "direct url", same ? finding : `${finding} than DATABASE_URL: correct one of them`);
		}),
	);
}
