import { spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { startGateway } from "../support/gateway.ts";
import { query } from "../support/sql.ts";
import { createPlace } from "./places.ts";

const MIB = 1024 * 1024;

/** Runs a command with so little memory that nothing large fits as a whole. */
async function runSmall(databaseUrl: string, args: string[]) {
	const memory = ["--max-old-space-size=96", "--max-semi-space-size=2"];
	const child = spawn(process.execPath, [...memory, "--import", "tsx", "server/main.ts", ...args], {
		env: { ...process.env, DATABASE_URL: databaseUrl },
		stdio: ["ignore", "pipe", "pipe"],
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
	const [code] = await once(child, "close");
	return { code, output };
}

it("a conversation of more than 100 MB goes out and in with a small heap", { timeout: 300_000 }, async () => {
	const gateway = await startGateway();
	onTestFinished(gateway.close);
	const [source, target] = [await createPlace(gateway), await createPlace(gateway)];
	await source.store.appendMessage({ conversationId: "large", payload: 1 });
	// Some of the messages are long, most are short.
	await query(
		gateway,
		`WITH rows AS (
			INSERT INTO messages (project_id, message_id, conversation_id, seq, payload, metadata, bytes, created_at, updated_at)
			SELECT m.project_id, 'large ' || n, 'large', n, to_json(text), '{}', length(text) + 4, m.created_at, m.created_at
			FROM messages m, generate_series(2, 20001) n,
				LATERAL (SELECT repeat(md5(n::text), CASE WHEN n % 2000 = 0 THEN 196608 ELSE 96 END) AS text) AS content
			WHERE m.project_id = $1
		)
		UPDATE conversations SET last_seq = 20001 WHERE project_id = $1`,
		[source.projectId],
	);
	const out = join(await temporaryFolder(), "out.jsonl");
	const exported = await runSmall(gateway.databaseUrl, ["export", "--project", source.name, "--output", out]);
	expect(exported).toMatchObject({ code: 0 });
	expect((await stat(out)).size).toBeGreaterThan(110 * MIB);
	const imported = await runSmall(gateway.databaseUrl, ["import", "--project", target.name, out]);
	expect(imported).toMatchObject({
		code: 0,
		output: expect.stringContaining("1 imported, 0 already there, 0 refused"),
	});
	const compared = await runSmall(gateway.databaseUrl, ["import", "--project", target.name, out]);
	expect(compared).toMatchObject({
		code: 0,
		output: expect.stringContaining("0 imported, 1 already there, 0 refused"),
	});
	expect(await target.sessions.getStats({ conversationId: "large" })).toMatchObject({ messageCount: 20_001 });
});
