import { once } from "node:events";
import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/** What a proxy may do to a request or its answer. */
export const FAULTS = [
	/** 502 with a page, and the gateway never hears of it. */
	"bad gateway",
	/** 502 with a page, after the gateway has done its work. */
	"bad gateway afterwards",
	/** The connection is closed before the request is sent on. */
	"dropped request",
	/** The gateway receives half of the body. */
	"cut request",
	/** The connection is closed instead of an answer. */
	"dropped answer",
	/** The caller receives half of the answer. */
	"cut answer",
	/** The answer takes its time. */
	"slow answer",
	/** The gateway receives the request twice at once. */
	"doubled request",
] as const;

export type ProxyFault = (typeof FAULTS)[number];

/** A proxy before a gateway that does harm. */
export interface FaultyProxy {
	/** Of the GraphQL endpoint, through the proxy. */
	url: string;
	/** How often each fault was done. */
	done: Map<ProxyFault, number>;
	close(): Promise<void>;
}

interface Answer {
	status: number;
	headers: IncomingMessage["headers"];
	body: Buffer;
}

const PAGE = "<html><body>Bad Gateway</body></html>";

/** Starts the proxy; `next` says for each request what is done to it. */
export async function startFaultyProxy(target: string, next: () => ProxyFault | undefined): Promise<FaultyProxy> {
	const done = new Map<ProxyFault, number>();
	const server = createServer((incoming, outgoing) => {
		const fault = next();
		if (fault !== undefined) done.set(fault, (done.get(fault) ?? 0) + 1);
		void pass(target, fault, incoming, outgoing).catch(() => outgoing.destroy());
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
		done,
		close: async () => {
			server.close();
			server.closeAllConnections();
		},
	};
}

/** Faults in an order that looks random and is always the same; about every second request goes well. */
export function faultSequence(seed: number, faults: readonly ProxyFault[] = FAULTS): () => ProxyFault | undefined {
	let state = seed;
	return () => {
		// A linear congruential generator; its high bits are good enough.
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return faults[(state >>> 16) % (faults.length * 2)];
	};
}

async function pass(
	target: string,
	fault: ProxyFault | undefined,
	incoming: IncomingMessage,
	outgoing: ServerResponse,
) {
	const body = await buffer(incoming);
	if (fault === "dropped request") return outgoing.destroy();
	if (fault === "bad gateway") return badGateway(outgoing);
	if (fault === "cut request") {
		await forward(target, incoming, body, Math.floor(body.length / 2)).catch(() => {});
		return outgoing.destroy();
	}
	const times = fault === "doubled request" ? 2 : 1;
	const answers = await Promise.all(Array.from({ length: times }, () => forward(target, incoming, body)));
	const { status, headers, body: content } = answers[0]!;
	if (fault === "dropped answer") return outgoing.destroy();
	if (fault === "bad gateway afterwards") return badGateway(outgoing);
	if (fault === "slow answer") await delay(30);
	outgoing.writeHead(status, { ...headers, "content-length": String(content.length) });
	if (fault !== "cut answer") return outgoing.end(content);
	outgoing.write(content.subarray(0, Math.floor(content.length / 2)), () => outgoing.destroy());
}

function badGateway(outgoing: ServerResponse) {
	return outgoing.writeHead(502, { "content-type": "text/html" }).end(PAGE);
}

/** Sends a request on; only the first `length` bytes of its body, where that is given. */
async function forward(
	target: string,
	{ method, headers }: IncomingMessage,
	body: Buffer,
	length?: number,
): Promise<Answer> {
	const onward = openRequest(target, { method: method ?? "POST", headers, agent: false });
	if (length === undefined) onward.end(body);
	else onward.write(body.subarray(0, length), () => onward.destroy());
	const [answer] = (await once(onward, "response")) as [IncomingMessage];
	return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
}
