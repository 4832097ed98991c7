/**
 * What keeps the gateway from starting and the operator can mend. The message is one line with the
 * remedy; the command line prints it without a stack and exits with 1.
 */
export class StartError extends Error {
	override name = "StartError";
}

/** What an error says, on one line. */
export function reasonOf(error: unknown): string {
	// A refused connection to a name with several addresses has a code and no message.
	const { message, code } = Object(error) as { message?: string; code?: string };
	return (message || code || String(error)).trim().replaceAll(/\s*\n\s*/g, " ");
}
