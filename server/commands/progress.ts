/** How often a bar moves on a terminal, and how often a line tells it elsewhere, in milliseconds. */
const REDRAWN_EVERY = 100;
const TOLD_EVERY = 5_000;

const BAR_WIDTH = 24;
const WHEEL = ["|", "/", "-", "\\"] as const;
const CLEAR_TO_END = "\u001b[K";

/** Where progress shows: standard error, so that standard output holds results only. */
type Screen = Pick<NodeJS.WriteStream, "write"> & { isTTY?: boolean; columns?: number };

/** What is counted, in the plural, such as `messages`; with a total, its share is shown. */
interface Work {
	what: string;
	total?: number | undefined;
}

/** Long work that shows how far it is. */
export interface Progress {
	/** So much more is done. */
	advance(count?: number): void;
	/** Shows the last state; call it however the work ended, and before anything else is printed. */
	end(): void;
}

/**
 * Shows how far long work is: on a terminal as one line that moves, a bar if the total is known; elsewhere as a line
 * every few seconds and one at the end, so that short work says nothing in logs.
 */
export function showProgress(screen: Screen, work: Work): Progress {
	let done = 0;
	let drawn = 0;
	const draw = () => {
		const line = `\r${bar(work, done, drawn).slice(0, (screen.columns || 80) - 1)}${CLEAR_TO_END}`;
		screen.write(screen.isTTY ? line : `${counted(work, done)}\n`);
		drawn += 1;
	};
	if (screen.isTTY) draw();
	// It goes on while nothing advances: a step may take long, and a line that stands still looks like a hung program.
	const timer = setInterval(draw, screen.isTTY ? REDRAWN_EVERY : TOLD_EVERY).unref();
	return {
		advance: (count = 1) => {
			done += count;
		},
		end: () => {
			clearInterval(timer);
			if (drawn > 0) draw();
			if (screen.isTTY) screen.write("\n");
		},
	};
}

function bar(work: Work, done: number, drawn: number): string {
	if (work.total === undefined) return `${WHEEL[drawn % WHEEL.length]} ${counted(work, done)}`;
	// No work at all is done at once.
	const share = work.total === 0 ? 1 : Math.min(1, done / work.total);
	const filled = Math.floor(share * BAR_WIDTH);
	const percent = `${Math.floor(share * 100)}`.padStart(3);
	return `[${"#".repeat(filled)}${".".repeat(BAR_WIDTH - filled)}] ${percent} %  ${counted(work, done)}`;
}

function counted({ what, total }: Work, done: number): string {
	return total === undefined ? `${done} ${what}` : `${done} of ${total} ${what}`;
}
