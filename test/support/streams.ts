import { onTestFinished, vi } from "vitest";
import type { TestGateway } from "./gateway.ts";

/** A stream of events as its bytes come. */
export interface RawStream {
	response: Response;
	/** All that came, without comments. */
	events(): string[];
	/** Resolves when as many events have come. */
	until(count: number): Promise<void>;
	/** Resolves when the gateway has ended it. */
	ended: Promise<unknown>;
}

/** Reads a stream of the gateway, as its first project unless headers say otherwise, until the test is finished. */
export async function openStream(
	gateway: Pick<TestGateway, "url" | "token">,
	path: string,
	{ headers, ...init }: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<RawStream> {
	const leaving = new AbortController();
	onTestFinished(() => leaving.abort());
	const response = await fetch(new URL(path, gateway.url), {
		...init,
		headers: { accept: "text/event-stream", authorization: `Bearer ${gateway.token}`, ...headers },
		signal: leaving.signal,
	});
	let text = "";
	const ended = (async () => {
		const decoder = new TextDecoder();
		for await (const part of response.body!) text += decoder.decode(part, { stream: true });
	})().catch((error: unknown) => error);
	// The last part is what has not ended yet.
	const events = () =>
		text
			.split("\n\n")
			.slice(0, -1)
			.filter((event) => !event.startsWith(":"));
	const until = (count: number) =>
		vi.waitFor(
			() => {
				if (events().length < count) throw new Error(`Only these came: ${text.slice(0, 1_000)}`);
			},
			{ timeout: 30_000, interval: 5 },
		);
	return { response, events, until, ended };
}

/** Opens a subscription. */
export function openSubscription(
	gateway: Pick<TestGateway, "url" | "token">,
	query: string,
	variables: object = {},
): Promise<RawStream> {
	const body = JSON.stringify({ query, variables });
	return openStream(gateway, "/graphql", { method: "POST", body, headers: { "content-type": "application/json" } });
}
