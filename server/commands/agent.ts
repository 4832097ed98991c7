import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { GatewayOptions } from "../app.ts";
import { StartError } from "../domain/start-error.ts";

/**
 * Loads the agent that the operator gives: a module, found from the working directory, that exports `agent`, and
 * `agentOptions` if it likes.
 *
 * @throws StartError where there is no such module or export.
 */
export async function loadAgent(path: string | undefined): Promise<Pick<GatewayOptions, "agent" | "agentOptions">> {
	if (path === undefined) return {};
	const file = resolve(path);
	let module: Partial<Pick<GatewayOptions, "agent" | "agentOptions">>;
	try {
		module = await import(pathToFileURL(file).href);
	} catch (error) {
		throw new StartError(`The agent ${file} cannot be loaded: ${(error as Error).message}`, { cause: error });
	}
	const { agent, agentOptions } = module;
	if (typeof agent !== "function") {
		throw new StartError(
			`The agent ${file} must export a function named "agent"; see "Threads and chat" in the README.`,
		);
	}
	return { agent, agentOptions };
}
