import { rmSync } from "node:fs";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Removes a file or folder when a signal ends the process, until the returned function is called. */
export function removeOnSignal(path: string): () => void {
	const remove = (signal: NodeJS.Signals) => {
		rmSync(path, { recursive: true, force: true });
		keep();
		// Ends the process as the signal would have.
		process.kill(process.pid, signal);
	};
	const keep = () => {
		for (const signal of SIGNALS) process.off(signal, remove);
	};
	for (const signal of SIGNALS) process.on(signal, remove);
	return keep;
}
