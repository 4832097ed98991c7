import { subscribe } from "node:diagnostics_channel";
import type { Server } from "node:net";

/** What a measured process is asked, and what it tells. */
export type Question = { ask: "usage" };
export type Report = { port: number } | { cpu: number; rss: number };

/** Loaded into every measured process before its program: tells its port, and its use of CPU and memory when asked. */
if (process.send !== undefined) {
	const tell = (report: Report) => process.send?.(report);
	subscribe("tracing:net.server.listen:asyncEnd", (event) => {
		const address = (event as { server: Server }).server.address();
		if (address !== null && typeof address === "object") tell({ port: address.port });
	});
	process.on("message", ({ ask }: Partial<Question>) => {
		if (ask !== "usage") return;
		const { user, system } = process.cpuUsage();
		tell({ cpu: user + system, rss: process.memoryUsage.rss() });
	});
	// The benchmark was killed: nothing of it stays.
	process.on("disconnect", () => process.exit());
}
