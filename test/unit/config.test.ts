import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../server/config.ts";
import { StartError } from "../../server/domain/start-error.ts";

describe("the environment", () => {
	it("may be empty", () => {
		const defaults = {
			port: 4000,
			host: "127.0.0.1",
			databaseUrl: undefined,
			directUrl: undefined,
			pooler: "none",
			poolSize: 10,
			dataFolder: resolve(".agent-store"),
			logLevel: undefined,
			metricsPort: undefined,
			graphiql: undefined,
			origins: [],
			requestsPerSecond: undefined,
			limits: {},
		};
		expect(readConfig({})).toEqual(defaults);
		expect(readConfig({ PORT: "", DATABASE_URL: " ", GRAPHIQL: "" })).toEqual(defaults);
	});

	it("sets each value", () => {
		const url = "postgres://user:secret@db.example:6432/notes";
		expect(
			readConfig({
				PORT: "0",
				HOST: "::1",
				DATABASE_URL: url,
				DATABASE_DIRECT_URL: "postgresql://db.example/notes",
				DATABASE_POOLER: "transaction",
				DATABASE_POOL_SIZE: "25",
				AGENT_STORE_DATA: "/var/data",
				LOG_LEVEL: "warn",
				GRAPHIQL: "off",
				CORS_ORIGINS: "https://chat.example, http://localhost:5173,",
				RATE_LIMIT: "50",
				LIMITS: '{ "statementMs": 5000, "pageLimit": 500 }',
			}),
		).toEqual({
			port: 0,
			host: "::1",
			databaseUrl: url,
			directUrl: "postgresql://db.example/notes",
			pooler: "transaction",
			poolSize: 25,
			dataFolder: resolve("/var/data"),
			logLevel: "warn",
			graphiql: false,
			origins: ["https://chat.example", "http://localhost:5173"],
			requestsPerSecond: 50,
			limits: { statementMs: 5_000, pageLimit: 500 },
		});
	});

	it("migrates through DATABASE_URL unless there is a direct address", () => {
		expect(readConfig({ DATABASE_URL: "postgres://db/notes" }).directUrl).toBe("postgres://db/notes");
	});

	it.each([
		["PORT", "http", 'PORT must be a whole number from 0 to 65535, not "http".'],
		["PORT", "65536", 'PORT must be a whole number from 0 to 65535, not "65536".'],
		["PORT", "1e3", 'PORT must be a whole number from 0 to 65535, not "1e3".'],
		["DATABASE_POOL_SIZE", "0", 'DATABASE_POOL_SIZE must be a whole number from 1 to 1000, not "0".'],
		["DATABASE_POOLER", "session", 'DATABASE_POOLER must be one of none, transaction, not "session".'],
		...["*", "null", "chat.example", "https://chat.example/", "https://Chat.example", "ftp://chat.example"].map(
			(origin) => [
				"CORS_ORIGINS",
				`https://ok.example,${origin}`,
				`CORS_ORIGINS must be origins like https://chat.example, without a path, separated by commas, not "${origin}".`,
			],
		),
		["RATE_LIMIT", "0", 'RATE_LIMIT must be a whole number from 1 to 1000000, not "0".'],
		["LIMITS", "[1]", 'LIMITS must be a JSON object such as {"statementMs": 5000}.'],
		["LIMITS", "{", 'LIMITS must be a JSON object such as {"statementMs": 5000}.'],
		["LIMITS", '{"pages":1}', "LIMITS names pages, which is not a limit."],
		["LIMITS", '{"lockMs":"1"}', 'LIMITS must give lockMs a whole number from 1 up, not "1".'],
		["LOG_LEVEL", "loud", 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud".'],
		["GRAPHIQL", "maybe", 'GRAPHIQL must be one of 0, 1, true, on, false, off, not "maybe".'],
	])("refuses %s=%s in words that help", (name, value, message) => {
		expect(() => readConfig({ [name]: value })).toThrow(new StartError(message));
	});

	it.each(["DATABASE_URL", "DATABASE_DIRECT_URL"])("refuses a bad %s without showing it", (name) => {
		for (const value of ["db.example/notes", "mysql://root:hush@db/notes"]) {
			expect(() => readConfig({ [name]: value })).toThrow(
				new StartError(`${name} must be an address like postgres://user:password@host:5432/database.`),
			);
		}
	});
});
