import { Agent, request } from "node:http";

/** A request, ready to be sent. */
export interface Message {
	path: string;
	headers: Record<string, string>;
	body: string;
}

/** What a load of requests took. */
export interface Load {
	seconds: number;
	/** Of each request, in milliseconds. */
	latencies: number[];
}

/** Sends requests over connections that it keeps. */
class HttpClient {
	readonly #agent: Agent;
	readonly #port: number;

	constructor(port: number, connections: number) {
		this.#port = port;
		this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
	}

	/** Posts one request and returns the text of the answer; any status but 200 is an error. */
	post({ path, headers, body }: Message): Promise<string> {
		return new Promise((resolve, reject) => {
			const sent = request(
				{ agent: this.#agent, host: "127.0.0.1", port: this.#port, path, method: "POST", headers },
				(response) => {
					let text = "";
					response.setEncoding("utf8");
					response.on("data", (chunk: string) => {
						text += chunk;
					});
					response.on("error", reject);
					response.on("end", () => {
						if (response.statusCode === 200) resolve(text);
						else reject(new Error(`${path} answered ${response.statusCode}: ${text.slice(0, 500)}`));
					});
				},
			);
			sent.on("error", reject);
			sent.end(body);
		});
	}

	close(): void {
		this.#agent.destroy();
	}
}

/** Works with a client for as long as nobody else has a turn: in a longer pause, servers close its connections. */
export async function withClient<T>(
	port: number,
	connections: number,
	work: (client: HttpClient) => Promise<T>,
): Promise<T> {
	const client = new HttpClient(port, connections);
	try {
		return await work(client);
	} finally {
		client.close();
	}
}

/** Does each piece of work once, a number of them at a time. */
export async function runLoad<T>(
	pieces: readonly T[],
	concurrency: number,
	work: (piece: T) => Promise<unknown>,
): Promise<Load> {
	const latencies: number[] = [];
	const startedAt = performance.now();
	let next = 0;
	const worker = async () => {
		while (next < pieces.length) {
			const piece = pieces[next++]!;
			const sentAt = performance.now();
			await work(piece);
			latencies.push(performance.now() - sentAt);
		}
	};
	await Promise.all(Array.from({ length: concurrency }, worker));
	return { seconds: (performance.now() - startedAt) / 1_000, latencies };
}
