import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";

interface ChatPageOptions {
	/** Of the gateway's GraphQL endpoint; it has to let the page's origin in, see CORS_ORIGINS. */
	url: string;
	/** A token that stays on this server. */
	token: string;
	/** The conversation that everybody talks in; an application of yours knows whose it is. */
	conversationId: string;
}

const FILES: Record<string, { name: string; type: string }> = {
	"/": { name: "chat-page.html", type: "text/html; charset=utf-8" },
	"/chat-page.js": { name: "chat-page.js", type: "text/javascript; charset=utf-8" },
};

const CREATE_TOKEN = `mutation ($input: CreateBrowserTokenInput!) {
	createBrowserToken(input: $input) { token }
}`;

/** Serves a chat page and hands it browser tokens, which reach its one conversation for a quarter of an hour. */
export function createChatPage({ url, token, conversationId }: ChatPageOptions): Server {
	const policy = `default-src 'self'; style-src 'unsafe-inline'; connect-src 'self' ${new URL(url).origin}`;

	async function createSession(): Promise<object> {
		const input = { role: "WRITE", conversationIds: [conversationId] };
		const answer = await fetch(url, {
			method: "POST",
			headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
			body: JSON.stringify({ query: CREATE_TOKEN, variables: { input } }),
		});
		const { data } = (await answer.json()) as { data: { createBrowserToken: { token: string } } };
		return { url, conversationId, token: data.createBrowserToken.token };
	}

	return createServer((request, response) => {
		const answer = async () => {
			const { method, url: path = "" } = request;
			// Here your application looks at its own cookie, and finds out who asks.
			if (method === "POST" && path === "/session") {
				response.setHeader("content-type", "application/json").end(JSON.stringify(await createSession()));
				return;
			}
			const file = FILES[path];
			if (method !== "GET" || file === undefined) return void response.writeHead(404).end();
			response.writeHead(200, { "content-type": file.type, "content-security-policy": policy });
			response.end(await readFile(new URL(file.name, import.meta.url)));
		};
		answer().catch(() => response.writeHead(502).end());
	});
}
