import type { Checkpointer } from "@iga-pages/agent/store/langgraph";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { expect, it, onTestFinished } from "vitest";
import { startGateway } from "../support/gateway.ts";
import { query } from "../support/sql.ts";
import { createPlace, recordsOf } from "./places.ts";

const thread = { configurable: { thread_id: "grown", checkpoint_ns: "" } };

async function valuesOf(checkpointer: Checkpointer): Promise<unknown[]> {
	const values: unknown[] = [];
	for await (const { checkpoint } of checkpointer.list(thread)) values.push(checkpoint.channel_values);
	return values;
}

it("an archive has values in pieces as whole ones, which another project reads and goes on from", async () => {
	const gateway = await startGateway();
	onTestFinished(gateway.close);
	const [source, target] = [await createPlace(gateway), await createPlace(gateway)];
	let config: Parameters<Checkpointer["put"]>[0] = thread;
	const list = Array.from({ length: 2_000 }, (_, n) => Math.sin(n));
	const grow = async ({ checkpointer }: typeof source) => {
		list.push(list.length);
		const version = checkpointer.getNextVersion(list.length);
		const values = { channel_values: { list }, channel_versions: { list: version } };
		const checkpoint = { ...emptyCheckpoint(), id: uuid6(0), ...values };
		config = await checkpointer.put(config, checkpoint, { source: "loop", step: 0, parents: {} }, { list: version });
	};
	for (let n = 0; n < 3; n++) await grow(source);
	const inPieces = `SELECT FROM checkpoint_blobs WHERE project_id = $1 AND encoding = 'pieces'`;
	expect(await query(gateway, inPieces, [source.projectId])).toHaveLength(2);

	const { stdout, code } = await source.run("export", []);
	expect(code).toBe(0);
	const encodings = recordsOf(stdout).flatMap(({ record, value }) =>
		record === "channelValue" ? [(value as { encoding: string }).encoding] : [],
	);
	expect(encodings).toEqual(["gzip", "gzip", "gzip"]);
	expect(await target.run("import", ["-"], stdout)).toMatchObject({
		code: 0,
		stdout: expect.stringMatching(/^1 imported/),
	});
	expect(await query(gateway, inPieces, [target.projectId])).toHaveLength(0);
	const before = await valuesOf(source.checkpointer);
	expect(before).toHaveLength(3);
	expect(await valuesOf(target.checkpointer)).toEqual(before);
	await target.checkpointer.getTuple(thread);
	for (let n = 0; n < 2; n++) await grow(target);
	expect((await valuesOf(target.checkpointer))[0]).toEqual({ list });
	expect(await query(gateway, inPieces, [target.projectId])).toHaveLength(2);
});
