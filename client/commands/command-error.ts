/** What the user of the command can mend; the message is one line. */
export class CommandError extends Error {
	override name = "CommandError";
}
