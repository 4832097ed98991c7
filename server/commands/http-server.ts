import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Registry } from "prom-client";
import type { Gateway } from "../app.ts";
import type { Config } from "../config.ts";
import { reasonOf, StartError } from "../domain/start-error.ts";
import type { Lifetime } from "./lifetime.ts";

/** How long answers may take to reach clients when all requests are done, in milliseconds. */
const LAST_BYTES = 1_000;

/** Where to listen, and what the operator sets for it. */
interface Address {
	host: string;
	port: number;
	/** The environment variable of the port. */
	variable: string;
}

/**
 * Serves the gateway. At the end it stops accepting, lets running requests finish within the time that closing the
 * gateway takes, and cuts what is left.
 *
 * @returns The address of the GraphQL endpoint, as clients on this machine call it.
 * @throws StartError when the address is taken or is not one of this machine.
 */
export async function listen(gateway: Gateway, { host, port }: Config, lifetime: Lifetime): Promise<string> {
	const server = createServer(gateway.handler);
	lifetime.onEnd(() => closeServer(server, gateway));
	return `${await bind(server, { host, port, variable: "PORT" })}/graphql`;
}

/** Serves metrics to whoever reaches the port: it is for the operator's network alone. */
export async function listenForMetrics(metrics: Registry, address: Address, lifetime: Lifetime): Promise<string> {
	const server = createServer((request, response) => {
		const found = request.url === "/metrics";
		if (!found) return void response.writeHead(404).end();
		metrics.metrics().then(
			(text) => response.setHeader("content-type", metrics.contentType).end(text),
			() => response.writeHead(500).end(),
		);
	});
	lifetime.onEnd(async () => {
		server.close();
		server.closeAllConnections();
	});
	return `${await bind(server, address)}/metrics`;
}

/** Listens, and returns the address as clients on this machine call it. */
async function bind(server: Server, address: Address): Promise<string> {
	try {
		await once(server.listen(address.port, address.host), "listening");
	} catch (error) {
		throw explain(error as NodeJS.ErrnoException, address);
	}
	const { port } = server.address() as AddressInfo;
	return `http://${reachableHost(address.host)}:${port}`;
}

function explain(error: NodeJS.ErrnoException, { port, host, variable }: Address): StartError {
	const remedies: Record<string, string> = {
		EADDRINUSE: `Port ${port} on ${host} is taken: stop the program that uses it, or set ${variable} to another number.`,
		EACCES: `Port ${port} needs more rights: set ${variable} to a number above 1023.`,
	};
	const remedy =
		remedies[error.code ?? ""] ?? `Cannot listen on ${host} (${reasonOf(error)}): check HOST and ${variable}.`;
	return new StartError(remedy, { cause: error });
}

async function closeServer(server: Server, gateway: Gateway): Promise<void> {
	// Connections that were answered meanwhile stay open for a next request that must not come.
	const idle = setInterval(() => server.closeIdleConnections(), 20);
	const closed = new Promise((resolve) => server.close(resolve));
	await gateway.close();
	// The last answers may still be on their way.
	await Promise.race([closed, delay(LAST_BYTES, undefined, { ref: false })]);
	clearInterval(idle);
	server.closeAllConnections();
}

/** An address to listen on may mean all of this machine's; none of those can be called. */
function reachableHost(host: string): string {
	if (host === "0.0.0.0") return "127.0.0.1";
	if (host === "::") return "[::1]";
	return host.includes(":") ? `[${host}]` : host;
}
