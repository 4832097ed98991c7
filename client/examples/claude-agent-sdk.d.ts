/** As much of the Claude Agent SDK as the example uses: its binaries are hundreds of megabytes, so it is not installed. */
declare module "@anthropic-ai/claude-agent-sdk" {
	export function query(input: { prompt: string; options: object }): AsyncIterable<{
		type: string;
		subtype?: string;
		session_id: string;
		result?: string;
		error?: string;
	}>;
}
