import { resolve } from "node:path";
import { DEFAULT_LIMITS, type Limits } from "./domain/limits.ts";
import { StartError } from "./domain/start-error.ts";

/** What the environment says, checked. An empty variable counts as unset. */
export interface Config {
	/** PORT, 4000 by default; 0 takes a free one. */
	port: number;
	/** HOST to listen on, 127.0.0.1 by default. */
	host: string;
	/** DATABASE_URL; unset: the embedded Postgres. */
	databaseUrl: string | undefined;
	/** DATABASE_DIRECT_URL, past a pooler; where migrations run, and gateways hear of each other. DATABASE_URL by default. */
	directUrl: string | undefined;
	/** DATABASE_POOLER, what stands before Postgres; `none` by default. */
	pooler: "none" | "transaction";
	/** DATABASE_POOL_SIZE, connections at most; 10 by default. */
	poolSize: number;
	/** AGENT_STORE_DATA, absolute; `.agent-store` in the working directory by default. */
	dataFolder: string;
	/** LOG_LEVEL; unset: `info` in `serve`, `warn` in `dev`. */
	logLevel: (typeof LOG_LEVELS)[number] | undefined;
	/** METRICS_PORT, where Prometheus finds the metrics; unset: none are kept. */
	metricsPort: number | undefined;
	/** GRAPHIQL; unset: on in `dev`, off in `serve`. */
	graphiql: boolean | undefined;
	/** CORS_ORIGINS, origins whose pages may call the gateway, separated by commas; none by default. */
	origins: string[];
	/** RATE_LIMIT, requests that one token may send a second; unset: any number. */
	requestsPerSecond: number | undefined;
	/** LIMITS, a JSON object of the limits that differ from their defaults, by the names that `viewer` shows. */
	limits: Partial<Limits>;
}

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
const SWITCH: Record<string, boolean> = { true: true, on: true, "1": true, false: false, off: false, "0": false };

/**
 * Reads the environment, the only place that does.
 *
 * @throws StartError naming the variable and what it may be.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
	const databaseUrl = readUrl(env, "DATABASE_URL");
	return {
		port: readInteger(env, "PORT", 4000, 0, 65_535),
		host: read(env, "HOST") ?? "127.0.0.1",
		databaseUrl,
		directUrl: readUrl(env, "DATABASE_DIRECT_URL") ?? databaseUrl,
		pooler: readChoice(env, "DATABASE_POOLER", ["none", "transaction"]) ?? "none",
		poolSize: readInteger(env, "DATABASE_POOL_SIZE", 10, 1, 1000),
		dataFolder: resolve(read(env, "AGENT_STORE_DATA") ?? ".agent-store"),
		logLevel: readChoice(env, "LOG_LEVEL", LOG_LEVELS),
		metricsPort: read(env, "METRICS_PORT") === undefined ? undefined : readInteger(env, "METRICS_PORT", 0, 0, 65_535),
		graphiql: readSwitch(env, "GRAPHIQL"),
		origins: readOrigins(env, "CORS_ORIGINS"),
		requestsPerSecond:
			read(env, "RATE_LIMIT") === undefined ? undefined : readInteger(env, "RATE_LIMIT", 0, 1, 1_000_000),
		limits: readLimits(env, "LIMITS"),
	};
}

function read(env: NodeJS.ProcessEnv, name: string): string | undefined {
	return env[name]?.trim() || undefined;
}

function readInteger(env: NodeJS.ProcessEnv, name: string, fallback: number, least: number, most: number): number {
	const text = read(env, name);
	if (text === undefined) return fallback;
	const value = Number(text);
	if (/^\d+$/.test(text) && value >= least && value <= most) return value;
	throw new StartError(`${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}.`);
}

function readChoice<T extends string>(env: NodeJS.ProcessEnv, name: string, choices: readonly T[]): T | undefined {
	const text = read(env, name);
	if (text === undefined) return undefined;
	const choice = choices.find((candidate) => candidate === text);
	if (choice !== undefined) return choice;
	throw new StartError(`${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}.`);
}

function readOrigins(env: NodeJS.ProcessEnv, name: string): string[] {
	const origins = (read(env, name) ?? "")
		.split(",")
		.map((text) => text.trim())
		.filter((text) => text !== "");
	const wrong = origins.find((text) => !isWebOrigin(text));
	if (wrong === undefined) return origins;
	throw new StartError(
		`${name} must be origins like https://chat.example, without a path, separated by commas, not ${JSON.stringify(wrong)}.`,
	);
}

function isWebOrigin(text: string): boolean {
	return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function readSwitch(env: NodeJS.ProcessEnv, name: string): boolean | undefined {
	const choice = readChoice(env, name, Object.keys(SWITCH));
	return choice === undefined ? undefined : SWITCH[choice];
}

function readLimits(env: NodeJS.ProcessEnv, name: string): Partial<Limits> {
	const limits = parseObject(read(env, name) ?? "{}");
	if (limits === undefined) throw new StartError(`${name} must be a JSON object such as {"statementMs": 5000}.`);
	for (const [limit, value] of Object.entries(limits)) {
		if (!Object.hasOwn(DEFAULT_LIMITS, limit)) throw new StartError(`${name} names ${limit}, which is not a limit.`);
		if (!Number.isSafeInteger(value) || (value as number) < 1) {
			throw new StartError(`${name} must give ${limit} a whole number from 1 up, not ${JSON.stringify(value)}.`);
		}
	}
	return limits;
}

function parseObject(text: string): object | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** The value is not shown: it may hold a password. */
function readUrl(env: NodeJS.ProcessEnv, name: string): string | undefined {
	const text = read(env, name);
	if (text === undefined || /^postgres(ql)?:$/.test(protocolOf(text))) return text;
	throw new StartError(`${name} must be an address like postgres://user:password@host:5432/database.`);
}

function protocolOf(text: string): string {
	return URL.canParse(text) ? new URL(text).protocol : "";
}

/**
 * Lets libraries leave out their checks for developers, unless NODE_ENV says otherwise. They look when they are loaded,
 * so this comes before them.
 */
export function assumeProduction(): void {
	process.env["NODE_ENV"] ||= "production";
}
