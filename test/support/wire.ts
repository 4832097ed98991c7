import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A way to Postgres that can be cut and led elsewhere: the gateway connects to it, it connects to the database. */
export class Wire {
	/** Where it leads from the next connection on. */
	target: URL;
	readonly #sockets = new Set<Socket>();
	#server: Server | undefined;
	#port = 0;

	constructor(databaseUrl: string) {
		this.target = new URL(databaseUrl);
	}

	get databaseUrl(): string {
		return Object.assign(new URL(this.target), { hostname: "127.0.0.1", host: `127.0.0.1:${this.#port}` }).href;
	}

	/** Accepts connections, at the same address as before. */
	async open(): Promise<void> {
		const server = createServer((socket) => {
			const onward = connect(Number(this.target.port || 5432), this.target.hostname);
			for (const end of [socket, onward]) {
				this.#sockets.add(end);
				end
					.on("error", () => {})
					.on("close", () => {
						this.#sockets.delete(end);
						socket.destroy();
						onward.destroy();
					});
			}
			socket.pipe(onward).pipe(socket);
		});
		await once(server.listen(this.#port, "127.0.0.1"), "listening");
		this.#port = (server.address() as AddressInfo).port;
		this.#server = server;
	}

	/** Breaks every connection and refuses new ones. */
	async cut(): Promise<void> {
		const server = this.#server;
		if (server === undefined) return;
		this.#server = undefined;
		const closed = once(server, "close");
		server.close();
		for (const socket of this.#sockets) socket.destroy();
		await closed;
	}
}
