import { badRequest } from "./errors.ts";
import type { Transport } from "./transport.ts";

const transports = new WeakMap<object, Transport>();

/** Remembers the transport behind a store, so that an adapter can send its own operations over it. */
export function rememberTransport(store: object, transport: Transport): void {
	transports.set(store, transport);
}

/** The transport of a store that `createStore` made. */
export function transportOf(store: object): Transport {
	const transport = transports.get(store);
	if (transport === undefined) throw badRequest("store", "must come from createStore of this package");
	return transport;
}
