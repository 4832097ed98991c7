import type { GraphiQLOptions } from "graphql-yoga";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

const EXAMPLE = `# The latest conversations, each with its newest message.
# Ctrl-Enter runs it; the book holds the docs.
query Latest {
  viewer {
    project { name }
  }
  conversations(first: 10) {
    nodes {
      conversationId
      metadata
      updatedAt
      messages(first: 1, order: DESC) {
        nodes { seq role payload }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`;

/**
 * The explorer's page. The development token is filled in only where the page was asked for on this machine by its
 * own name, so that a foreign name that resolves to loopback does not get it.
 */
export function graphiqlPage(token: string | undefined) {
	return (request: Request): GraphiQLOptions => {
		const { hostname } = new URL(request.url);
		const authorized = token !== undefined && LOOPBACK.has(hostname);
		return {
			title: "Agent store",
			defaultQuery: EXAMPLE,
			shouldPersistHeaders: !authorized,
			headers: JSON.stringify({ authorization: authorized ? `Bearer ${token}` : "Bearer <token>" }, null, 2),
		};
	};
}

/** The page with its scripts inside it, so that it works without internet. It is large, and loaded when first asked for. */
export async function renderGraphiQL(options?: GraphiQLOptions): Promise<string> {
	const { renderGraphiQL: render } = await import("@graphql-yoga/render-graphiql");
	return render(options);
}
