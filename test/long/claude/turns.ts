import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FakeAnthropic, ModelRequest } from "./fake-anthropic.ts";
import type { ClaudeSdk } from "./sdk.ts";

/** What a turn came to. */
export interface Turn {
	sessionId: string | undefined;
	/** The result's text, or its first error. */
	text: string | undefined;
	/** Message of what the iterator threw. */
	failed: string | undefined;
	/** Appends that the framework gave up, by their messages. */
	mirrorErrors: string[];
	/** What the model was asked in this turn: the texts of user and assistant, without the framework's own. */
	asked: string[][];
}

/** Runs turns of one SDK, each in a config directory of its own, as if on another machine. */
export class Turns {
	readonly folder = mkdtempSync(join(tmpdir(), "claude-turns-"));
	readonly #sdk: ClaudeSdk;
	readonly #anthropic: FakeAnthropic;
	readonly #projectName: string;
	#directories = 0;

	constructor(sdk: ClaudeSdk, anthropic: FakeAnthropic, projectName: string) {
		this.#sdk = sdk;
		this.#anthropic = anthropic;
		this.#projectName = projectName;
	}

	newDirectory(): string {
		return mkdtempSync(join(this.folder, `${++this.#directories}-`));
	}

	/** The whole environment of the CLI: nothing of this process's own is inherited. */
	environment(configDirectory: string): Record<string, string> {
		const { url } = this.#anthropic;
		return {
			PATH: process.env["PATH"] ?? "",
			HOME: configDirectory,
			CLAUDE_CONFIG_DIR: configDirectory,
			CLAUDE_CODE_PROJECT_DIR_NAME: this.#projectName,
			ANTHROPIC_BASE_URL: url,
			ANTHROPIC_API_KEY: "dummy",
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
			HTTPS_PROXY: url,
			HTTP_PROXY: url,
			NO_PROXY: "127.0.0.1,localhost",
		};
	}

	/** Runs one turn in a new config directory, which is deleted at its end. */
	async run(prompt: string, options: Record<string, unknown>): Promise<Turn> {
		const turn: Turn = { sessionId: undefined, text: undefined, failed: undefined, mirrorErrors: [], asked: [] };
		const before = this.#anthropic.requests.length;
		const configDirectory = this.newDirectory();
		const defaults = { settingSources: [], permissionMode: "default", tools: [], maxTurns: 5 };
		const env = this.environment(configDirectory);
		try {
			for await (const message of this.#sdk.query({ prompt, options: { ...defaults, env, ...options } })) {
				if (message.type === "system" && message.subtype === "init") turn.sessionId = message.session_id;
				if (message.subtype === "mirror_error") turn.mirrorErrors.push(message.error ?? "");
				if (message.type === "result") turn.text = message.result ?? message.errors?.[0];
			}
		} catch (error) {
			turn.failed = (error as Error).message;
		}
		rmSync(configDirectory, { recursive: true, force: true });
		turn.asked = this.#anthropic.requests.slice(before).map(texts);
		return turn;
	}

	remove(): void {
		rmSync(this.folder, { recursive: true, force: true });
	}
}

/** What user and assistant said in a request, without what the framework puts in. */
function texts({ messages }: ModelRequest): string[] {
	return messages
		.flatMap(({ content }) => (typeof content === "string" ? [content] : content.map(({ text = "" }) => text)))
		.map((text) => text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "").trim())
		.filter((text) => text !== "" && !text.startsWith("# Environment"));
}
