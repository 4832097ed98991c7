import { StoreError } from "@iga-pages/agent/store";

/** The error that a call rejects with. */
export async function failure(call: Promise<unknown>): Promise<StoreError> {
	const outcome = await call.then(
		(value) => new Error(`expected a rejection, got ${JSON.stringify(value)}`),
		(error: unknown) => error,
	);
	if (outcome instanceof StoreError) return outcome;
	throw outcome;
}
