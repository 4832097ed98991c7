/** As much of the Claude Agent SDK as is used here: its binaries are hundreds of megabytes, so it is not installed. */
declare module "@anthropic-ai/claude-agent-sdk" {
	/** Undefined before 0.2.118. */
	export const foldSessionSummary: unknown;

	export function query(input: { prompt: string; options: object }): AsyncIterable<{
		type: string;
		subtype?: string;
		session_id: string;
		result?: string;
		error?: string;
	}>;
}
