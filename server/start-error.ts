/**
 * What keeps the gateway from starting and the operator can mend. The message is one line with the
 * remedy; the command line prints it without a stack and exits with 1.
 */
export class StartError extends Error {
	override name = "StartError";
}

/** The message of whatever was thrown, on one line. */
export function reasonOf(error: unknown): string {
	const text = error instanceof Error ? error.message || error.name : String(error);
	return text.replaceAll(/\s*\n\s*/g, " ").trim();
}
