#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { UsageError } from "./commands/usage-error.ts";
import { assumeProduction } from "./config.ts";
import { Fault } from "./domain/faults.ts";
import { FORMATS, type Format } from "./domain/session-formats.ts";
import { StartError } from "./domain/start-error.ts";

const HELP = `Usage: agent-gateway <command>

  dev [--agent <module>]       serve for development, with an embedded Postgres unless DATABASE_URL is set
  serve [--agent <module>]     serve on the Postgres of DATABASE_URL; the module's "agent" answers /api/chat
  migrate [--distributed]      bring the database's tables up to date; and spread them over the nodes of a Citus cluster
  doctor                       check configuration, database, tables, clock and tokens, and say what to mend
  project create <name>        make a project and print its id
  project list                 print all projects
  project delete <name> [--yes-delete <name>]
                               delete a project with everything in it; asks for its name, on a terminal or standard input
  token create --project <name> [--role read|write|admin] [--name <text>] [--expires 90d|<time>]
                               make a token (role write by default) and print it, once
  token list --project <name>  print a project's tokens: ids, roles, times, never the tokens themselves
  token revoke <id>            end a token, and the browser tokens that were made with it
  key rotate --project <name> [--now]
                               sign browser tokens with a new key; --now ends the ones that are about
  export --project <name> [--conversation <id>]… [--output <file>]
                               write everything of a project, or of conversation ids, as an archive
    --format pi|go|claude      write one conversation as a session file, or one session as a transcript, instead
  import --project <name> <file>|-
                               read an archive; what is there already stays, and what is refused leaves nothing
    [--format agent-store|pi|go|claude] [--conversation <id>] [--skip-bad-lines]
    [--project-key <key>] [--as-conversation]
                               or session files of pi and Go agents, and transcripts of Claude Code
  erase --project <name> <id>  remove everything that is stored under a conversation's id
  prune [--older-than 90d] [--keep-checkpoints <n>] [--project <name>] [--dry-run]
                               remove conversations that nobody touched since, and all but the newest checkpoints
  search enable|disable|status make the indexes behind conversations(search: …), remove them, or say whether they work

  --help, --version

Environment: PORT, HOST, DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_POOLER, DATABASE_POOL_SIZE,
AGENT_STORE_DATA, LOG_LEVEL, METRICS_PORT, GRAPHIQL, CORS_ORIGINS, RATE_LIMIT, LIMITS; the README explains them.
`;

const TEXT = { type: "string" } as const;

/** Each command, by its words; what follows them is its own to read. The code behind is loaded when it is called. */
const COMMANDS: Record<string, (args: string[]) => Promise<void>> = {
	async dev(args) {
		const { agent } = parse(args, { agent: TEXT }).values;
		await (await import("./commands/dev.ts")).dev(agent);
	},
	async serve(args) {
		const { agent } = parse(args, { agent: TEXT }).values;
		assumeProduction();
		await (await import("./commands/serve.ts")).serve(agent);
	},
	async migrate(args) {
		const { distributed } = parse(args, { distributed: { type: "boolean" } }).values;
		await (await import("./commands/migrate.ts")).runMigrations({ distributed });
	},
	async doctor(args) {
		parse(args, {});
		await (await import("./commands/doctor.ts")).runDoctor();
	},
	async "project create"(args) {
		const name = onlyArgument(parse(args, {}, 1), '"project create" needs a name.');
		await (await import("./commands/projects.ts")).runProjectCreate(name);
	},
	async "project list"(args) {
		parse(args, {});
		await (await import("./commands/projects.ts")).runProjectList();
	},
	async "project delete"(args) {
		const parsed = parse(args, { "yes-delete": TEXT }, 1);
		const name = onlyArgument(parsed, '"project delete" needs a name.');
		await (await import("./commands/projects.ts")).runProjectDelete(name, parsed.values["yes-delete"]);
	},
	async "token create"(args) {
		const parsed = parse(args, { project: TEXT, role: TEXT, name: TEXT, expires: TEXT });
		const { project, role = "write", name = "command line", expires } = parsed.values;
		if (project === undefined) throw new UsageError('"token create" needs --project <name>.');
		await (await import("./commands/tokens.ts")).runTokenCreate({ project, role, name, expires });
	},
	async "token list"(args) {
		const { project } = parse(args, { project: TEXT }).values;
		if (project === undefined) throw new UsageError('"token list" needs --project <name>.');
		await (await import("./commands/tokens.ts")).runTokenList(project);
	},
	async "token revoke"(args) {
		const id = onlyArgument(parse(args, {}, 1), '"token revoke" needs the id that "token list" shows.');
		await (await import("./commands/tokens.ts")).runTokenRevoke(id);
	},
	async "key rotate"(args) {
		const { project, now = false } = parse(args, { project: TEXT, now: { type: "boolean" } }).values;
		if (project === undefined) throw new UsageError('"key rotate" needs --project <name>.');
		await (await import("./commands/tokens.ts")).runKeyRotate(project, now);
	},
	async export(args) {
		const { values } = parse(args, EXPORT_OPTIONS);
		const { project, conversation: conversationIds, output } = values;
		if (project === undefined) throw new UsageError('"export" needs --project <name>.');
		const options = { format: oneFormat(values.format), projectKey: values["project-key"] };
		await (await import("./commands/export.ts")).runExport({ project, conversationIds, output, ...options });
	},
	async import(args) {
		const parsed = parse(args, IMPORT_OPTIONS, 1);
		const { project, format, conversation, ...values } = parsed.values;
		if (project === undefined) throw new UsageError('"import" needs --project <name>.');
		const file = onlyArgument(parsed, '"import" needs a file, or - for standard input.');
		const options = {
			conversationId: conversation,
			projectKey: values["project-key"],
			asConversation: values["as-conversation"] ?? false,
			skipBadLines: values["skip-bad-lines"] ?? false,
		};
		await (await import("./commands/import.ts")).runImport({ project, file, format: oneFormat(format), ...options });
	},
	async erase(args) {
		const parsed = parse(args, { project: TEXT }, 1);
		const { project } = parsed.values;
		if (project === undefined) throw new UsageError('"erase" needs --project <name>.');
		const conversationId = onlyArgument(parsed, '"erase" needs the id of a conversation.');
		await (await import("./commands/erase.ts")).runErase({ project, conversationId });
	},
	async prune(args) {
		const options = {
			"older-than": TEXT,
			"keep-checkpoints": TEXT,
			project: TEXT,
			"dry-run": { type: "boolean" },
		} as const;
		const {
			project,
			"older-than": age,
			"keep-checkpoints": keep,
			"dry-run": dryRun = false,
		} = parse(args, options).values;
		if (age === undefined && keep === undefined)
			throw new UsageError('"prune" needs --older-than or --keep-checkpoints.');
		await (await import("./commands/prune.ts")).runPrune({ project, age, keep, dryRun });
	},
	async "search enable"(args) {
		parse(args, {});
		await (await import("./commands/search.ts")).runSearchEnable();
	},
	async "search disable"(args) {
		parse(args, {});
		await (await import("./commands/search.ts")).runSearchDisable();
	},
	async "search status"(args) {
		parse(args, {});
		await (await import("./commands/search.ts")).runSearchStatus();
	},
};

const EXPORT_OPTIONS = {
	project: TEXT,
	conversation: { ...TEXT, multiple: true },
	output: TEXT,
	format: TEXT,
	"project-key": TEXT,
} as const;

const IMPORT_OPTIONS = {
	project: TEXT,
	format: TEXT,
	conversation: TEXT,
	"project-key": TEXT,
	"as-conversation": { type: "boolean" },
	"skip-bad-lines": { type: "boolean" },
} as const;

function oneFormat(value: string | undefined): Format | undefined {
	const format = FORMATS.find((candidate) => candidate === value);
	if (format !== undefined || value === undefined) return format;
	throw new UsageError(`--format must be one of ${FORMATS.join(", ")}, not ${JSON.stringify(value)}.`);
}

function onlyArgument({ positionals }: { positionals: string[] }, missing: string): string {
	const [argument] = positionals;
	if (argument === undefined) throw new UsageError(missing);
	return argument;
}

interface Option {
	type: "string" | "boolean";
	multiple?: boolean;
}

function parse<T extends Record<string, Option>>(args: string[], options: T, positionals = 0) {
	try {
		const parsed = parseArgs({ args, options, allowPositionals: positionals > 0 });
		if (parsed.positionals.length <= positionals) return parsed;
	} catch (error) {
		// The first sentence says what is wrong; what follows is about writing such options differently.
		throw new UsageError(`${(error as Error).message.split(". ")[0]}.`);
	}
	throw new UsageError("Too many arguments.");
}

async function run(args: string[]): Promise<void> {
	if (args.length === 0 || args.includes("--help") || args.includes("-h")) {
		process.stdout.write(HELP);
		return;
	}
	if (args[0] === "--version") {
		process.stdout.write(`${version()}\n`);
		return;
	}
	for (const words of [1, 2]) {
		const command = COMMANDS[args.slice(0, words).join(" ")];
		if (command !== undefined) return command(args.slice(words));
	}
	const near = Object.keys(COMMANDS).filter((name) => name.startsWith(`${args[0]} `));
	const those = near.length > 0 ? `, only ${near.join(", ")}` : "";
	throw new UsageError(`There is no command ${JSON.stringify(args.join(" "))}${those}.`);
}

/** package.json stands beside `server` in the sources and beside `dist` in the package. */
function version(): string {
	const candidates = ["../package.json", "../../package.json"].map((path) => new URL(path, import.meta.url));
	const file = candidates.find((candidate) => existsSync(candidate));
	const manifest: { version?: string } = file === undefined ? {} : JSON.parse(readFileSync(file, "utf8"));
	return manifest.version ?? "unknown";
}

/** Prints what the operator can mend as one line, and anything else with its stack. */
function report(error: unknown): number {
	const usage = error instanceof UsageError;
	const expected = usage || error instanceof StartError || error instanceof Fault;
	const text = expected ? error.message : error instanceof Error ? error.stack : String(error);
	process.stderr.write(`agent-gateway: ${text}${usage ? ' See "agent-gateway --help".' : ""}\n`);
	return usage ? 2 : 1;
}

process.exit(await run(process.argv.slice(2)).then(() => 0, report));
