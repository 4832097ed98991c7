/** npm forwards a Ctrl-C that the terminal has sent already: what follows within this time is the same, in milliseconds. */
const SAME_SIGNAL = 1_000;

/** What a running command has opened and must close, and what ends it. */
export interface Lifetime {
	/** Adds something to close at the end; the last one added is closed first. */
	onEnd(close: () => Promise<void>): void;
	/** Ends the command with an error, for something that broke while it ran. */
	fail(error: Error): void;
}

/**
 * Starts something, keeps it running until SIGINT or SIGTERM, and closes what it opened, also when the
 * start fails. A signal during the start is obeyed when that has ended; a second one, a second later or more, exits
 * at once.
 */
export async function runUntilSignal(start: (lifetime: Lifetime) => Promise<void>): Promise<void> {
	const closers: (() => Promise<void>)[] = [];
	let end = () => {};
	let fail = (_error: Error) => {};
	const ended = new Promise<void>((resolve, reject) => {
		end = resolve;
		fail = reject;
	});
	// Whoever waits for the end gets its error; until then it is nobody's.
	ended.catch(() => {});
	let first: number | undefined;
	const onSignal = () => {
		first ??= Date.now();
		if (Date.now() - first > SAME_SIGNAL) process.exit(130);
		end();
	};
	process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
	try {
		await start({ onEnd: (close) => closers.push(close), fail });
		await ended;
	} finally {
		for (const close of closers.reverse()) await close();
		process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
	}
}
