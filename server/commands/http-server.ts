import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Gateway } from "../app.ts";
import type { Config } from "../config.ts";
import { reasonOf, StartError } from "../domain/start-error.ts";
import type { Lifetime } from "./lifetime.ts";

/** How long running requests may take to end at a shutdown, in milliseconds. */
const SHUTDOWN_GRACE = 10_000;

/**
 * Serves the gateway. At the end it stops accepting, lets running requests finish, and closes the gateway.
 *
 * @returns The address of the GraphQL endpoint, as clients on this machine call it.
 * @throws StartError when the address is taken or is not one of this machine.
 */
export async function listen(gateway: Gateway, config: Config, lifetime: Lifetime): Promise<string> {
	lifetime.onEnd(() => gateway.close());
	const server = createServer(gateway.handler);
	try {
		await once(server.listen(config.port, config.host), "listening");
	} catch (error) {
		throw explain(error as NodeJS.ErrnoException, config);
	}
	lifetime.onEnd(() => closeServer(server));
	const { port } = server.address() as AddressInfo;
	return `http://${reachableHost(config.host)}:${port}/graphql`;
}

function explain(error: NodeJS.ErrnoException, { port, host }: Config): StartError {
	const remedies: Record<string, string> = {
		EADDRINUSE: `Port ${port} on ${host} is taken: stop the program that uses it, or set PORT to another number.`,
		EACCES: `Port ${port} needs more rights: set PORT to a number above 1023.`,
	};
	const remedy = remedies[error.code ?? ""] ?? `Cannot listen on ${host} (${reasonOf(error)}): check HOST and PORT.`;
	return new StartError(remedy, { cause: error });
}

async function closeServer(server: Server): Promise<void> {
	let closed = false;
	const end = new Promise<void>((resolve) =>
		server.close(() => {
			closed = true;
			resolve();
		}),
	);
	const deadline = Date.now() + SHUTDOWN_GRACE;
	while (!closed && Date.now() < deadline) {
		// Connections that were answered meanwhile stay open for a next request that must not come.
		server.closeIdleConnections();
		await Promise.race([end, delay(20)]);
	}
	server.closeAllConnections();
}

/** An address to listen on may mean all of this machine's; none of those can be called. */
function reachableHost(host: string): string {
	if (host === "0.0.0.0") return "127.0.0.1";
	if (host === "::") return "[::1]";
	return host.includes(":") ? `[${host}]` : host;
}
