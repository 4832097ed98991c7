#!/usr/bin/env node
import { parseArgs } from "node:util";
import { StoreError } from "../errors.ts";
import { VERSION } from "../version.ts";
import { type AccessOptions, link, login, logout, whoami } from "./access.ts";
import { CommandError } from "./command-error.ts";

const HELP = `Usage: npx @iga-pages/agent <command>

  login [<address>]   store a token for the gateway with this GraphQL address; the token is asked for, or read from
                      standard input, and never shown
  link [<address>]    tie this directory to the project that you are logged in to
  whoami              say which project an application in this directory uses
  logout [<address>]  forget the token again

  --allow-insecure-http   plain http to another machine
  --help, --version
`;

const COMMANDS: Record<string, (options: AccessOptions) => Promise<void>> = { login, link, whoami, logout };

async function run(args: string[]): Promise<void> {
	const { positionals, values } = parse(args);
	const [name, address, ...rest] = positionals;
	if (values.version) return void process.stdout.write(`${VERSION}\n`);
	if (values.help || name === undefined) return void process.stdout.write(HELP);
	const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
	if (command === undefined) throw new CommandError(`There is no command ${JSON.stringify(name)}; see --help.`);
	if (rest.length > 0) throw new CommandError("Too many arguments; see --help.");
	await command({ address, allowInsecureHttp: values["allow-insecure-http"] ?? false });
}

function parse(args: string[]) {
	try {
		return parseArgs({
			args,
			allowPositionals: true,
			options: {
				"allow-insecure-http": { type: "boolean" },
				help: { type: "boolean", short: "h" },
				version: { type: "boolean" },
			},
		});
	} catch (error) {
		throw new CommandError(`${(error as Error).message.split(". ")[0]}; see --help.`);
	}
}

/** Prints what the user can mend as one line, and anything else with its stack. */
function report(error: unknown): number {
	const expected = error instanceof CommandError || error instanceof StoreError || isSystemError(error);
	const text = expected ? (error as Error).message : error instanceof Error ? error.stack : String(error);
	process.stderr.write(`agent: ${text}\n`);
	return 1;
}

function isSystemError(error: unknown): boolean {
	return error instanceof Error && "syscall" in error;
}

process.exit(await run(process.argv.slice(2)).then(() => 0, report));
