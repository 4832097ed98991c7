import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { TestGateway } from "./gateway.ts";

/** An open connection to the gateway's port, to send bytes that no HTTP client would. */
export async function openSocket(gateway: TestGateway): Promise<Socket> {
	const { hostname, port } = new URL(gateway.url);
	const socket = connect(Number(port), hostname).on("error", () => {});
	await once(socket, "connect");
	return socket;
}

/** The head of a POST with the first project's token, up to the body. */
export function requestHead(gateway: TestGateway, headers: Record<string, string>, path = "/graphql"): string {
	const lines = Object.entries({
		host: new URL(gateway.url).host,
		authorization: `Bearer ${gateway.token}`,
		"content-type": "application/json",
		connection: "close",
		...headers,
	}).map(([name, value]) => `${name}: ${value}`);
	return `POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

/** What came back until the gateway closed the connection; status 0 when nothing did. */
export async function readAnswer(socket: Socket): Promise<{ status: number; text: string }> {
	let text = "";
	socket.setEncoding("utf8").on("data", (chunk: string) => {
		text += chunk;
	});
	if (!socket.closed) await once(socket, "close");
	return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text };
}
