import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { startGateway } from "../support/gateway.ts";
import { query } from "../support/sql.ts";

const MIB = 1024 * 1024;
const BRANCH_EVERY = 500;
const LONG_EVERY = 1_500;

/** Writes a session of more than 100 MB: most messages are short, some long, and every now and then it branches. */
async function writeSession(file: string): Promise<number> {
	const handle = await open(file, "w");
	const idOf = (index: number) => index.toString(16).padStart(8, "0");
	await handle.write('{"type":"session","version":3,"id":"large","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n');
	let index = 0;
	for (let bytes = 0; bytes < 100 * MIB; ) {
		index += 1;
		const parent = index % BRANCH_EVERY === 0 ? index - BRANCH_EVERY / 2 : index - 1;
		const message = { role: "user", content: `${index} `.repeat(index % LONG_EVERY === 0 ? MIB : 4_000) };
		const line = JSON.stringify({
			type: "message",
			id: idOf(index),
			parentId: parent === 0 ? null : idOf(parent),
			message,
		});
		bytes += (await handle.write(`${line}\n`)).bytesWritten;
	}
	await handle.close();
	return index;
}

it("a session file of more than 100 MB is imported with a small heap", { timeout: 300_000 }, async () => {
	const gateway = await startGateway();
	onTestFinished(gateway.close);
	const file = join(await temporaryFolder(), "large.jsonl");
	const messages = await writeSession(file);
	const [project] = await query<{ name: string }>(gateway, "SELECT name FROM projects WHERE project_id = $1", [
		gateway.projectId,
	]);
	const memory = ["--max-old-space-size=96", "--max-semi-space-size=2", "--import", "tsx"];
	const child = spawn(process.execPath, [...memory, "server/main.ts", "import", "--project", project!.name, file], {
		env: { ...process.env, DATABASE_URL: gateway.databaseUrl },
		stdio: ["ignore", "pipe", "ignore"],
	});
	let output = "";
	child.stdout.on("data", (chunk) => {
		output += chunk;
	});
	const [code] = await once(child, "close");
	expect([code, output]).toEqual([0, "1 imported, 0 already there, 0 refused\n"]);
	const [stored] = await query(
		gateway,
		`SELECT count(*)::int AS messages, sum(bytes) > 100000000 AS whole,
			(SELECT count(*)::int FROM branches WHERE project_id = $1) AS branches
		FROM messages WHERE project_id = $1`,
		[gateway.projectId],
	);
	expect(stored).toEqual({ messages, whole: true, branches: Math.floor(messages / BRANCH_EVERY) });
});
