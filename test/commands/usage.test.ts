import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { runGateway } from "../support/gateway-process.ts";

describe("the command line", () => {
	it.each([[["--help"]], [["serve", "--help"]], [[]]])("prints its commands: %j", async (args) => {
		const { code, stdout, stderr } = await runGateway(args);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(/^Usage: agent-gateway <command>/);
	});

	it("prints its version", async () => {
		const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
		expect(await runGateway(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
	});

	it.each([
		[["start"], 'There is no command "start".'],
		[
			["project", "remove", "x"],
			'There is no command "project remove x", only project create, project list, project delete.',
		],
		[["dev", "--port", "1"], "Unknown option '--port'."],
		[["dev", "now"], "Unexpected argument 'now'."],
		[["project", "create"], '"project create" needs a name.'],
		[["project", "create", "a", "b"], "Too many arguments."],
		[["token", "create"], '"token create" needs --project <name>.'],
		[["token", "create", "--project"], "Option '--project <value>' argument missing."],
		[
			["token", "create", "--project", "x", "--role", "owner"],
			'--role must be one of read, write, admin, not "owner".',
		],
	])("refuses in one line, with 2: %j", async (args, message) => {
		expect(await runGateway(args)).toEqual({
			code: 2,
			stdout: "",
			stderr: `agent-gateway: ${message} See "agent-gateway --help".\n`,
		});
	});
});
