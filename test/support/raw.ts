import type { TestGateway } from "./gateway.ts";

/** What the gateway answered to a request that no SDK would send. */
export interface RawAnswer {
	status: number;
	/** By root field. */
	data: Record<string, unknown> | null;
	errors: { message: string; extensions: { code: string; status: number; error?: { code: string } } }[];
}

/** Posts a GraphQL request, or a body exactly as it is, as the first project unless a token says otherwise. */
export async function sendRaw(
	gateway: TestGateway,
	body: string | { query: string; variables?: unknown },
	token = gateway.token,
): Promise<RawAnswer> {
	const response = await gateway.post(body, { authorization: `Bearer ${token}` });
	const { data = null, errors = [] } = (await response.json()) as Partial<RawAnswer>;
	return { status: response.status, data, errors };
}
