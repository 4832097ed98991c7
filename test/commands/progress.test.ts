import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { showProgress } from "../../server/commands/progress.ts";

/** What a screen has been sent, draw by draw. */
function screen(options: { isTTY?: boolean; columns?: number } = {}) {
	const written: string[] = [];
	return { ...options, written, write: (text: string) => written.push(text) > 0 };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("progress that is not on a terminal", () => {
	it("is a line every few seconds and one at the end", () => {
		const file = screen();
		const progress = showProgress(file, { what: "messages", total: 4 });
		progress.advance();
		expect(file.written).toEqual([]);
		vi.advanceTimersByTime(10_000);
		progress.advance(3);
		progress.end();
		expect(file.written).toEqual(["1 of 4 messages\n", "1 of 4 messages\n", "4 of 4 messages\n"]);
		vi.advanceTimersByTime(60_000);
		expect(file.written).toHaveLength(3);
	});

	it("says nothing of short work", () => {
		const file = screen();
		const progress = showProgress(file, { what: "messages", total: 1 });
		progress.advance();
		progress.end();
		expect(file.written).toEqual([]);
	});
});

describe("progress on a terminal", () => {
	it("is a bar that moves on one line", () => {
		const terminal = screen({ isTTY: true, columns: 100 });
		const progress = showProgress(terminal, { what: "messages", total: 3 });
		progress.advance(2);
		vi.advanceTimersByTime(150);
		progress.advance();
		progress.end();
		expect(terminal.written).toEqual([
			"\r[........................]   0 %  0 of 3 messages\u001b[K",
			"\r[################........]  66 %  2 of 3 messages\u001b[K",
			"\r[########################] 100 %  3 of 3 messages\u001b[K",
			"\n",
		]);
	});

	it("counts where the total is unknown, and shows that it lives", () => {
		const terminal = screen({ isTTY: true });
		const progress = showProgress(terminal, { what: "rows deleted" });
		progress.advance(5_000);
		vi.advanceTimersByTime(200);
		progress.end();
		expect(terminal.written).toEqual([
			"\r| 0 rows deleted\u001b[K",
			"\r/ 5000 rows deleted\u001b[K",
			"\r- 5000 rows deleted\u001b[K",
			"\r\\ 5000 rows deleted\u001b[K",
			"\n",
		]);
	});

	it("never breaks the line of a narrow one", () => {
		const terminal = screen({ isTTY: true, columns: 20 });
		showProgress(terminal, { what: "messages", total: 10 }).end();
		expect(terminal.written[0]).toBe("\r[..................\u001b[K");
	});

	it.each([
		[0, 0],
		[1, 2],
	])("is full at a total of %i with %i done", (total, done) => {
		const terminal = screen({ isTTY: true });
		const progress = showProgress(terminal, { what: "lines", total });
		progress.advance(done);
		progress.end();
		expect(terminal.written.at(-2)).toContain("[########################] 100 %");
	});
});
