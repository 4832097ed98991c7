/** A command line that cannot be understood; the message is one line. Exit code 2. */
export class UsageError extends Error {
	override name = "UsageError";
}
