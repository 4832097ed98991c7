import { getOperationAST } from "graphql";
import type { Plugin } from "graphql-yoga";
import { Fault } from "../domain/faults.ts";
import type { Context } from "./context.ts";

/** Lets only those write whose credential may. */
export function roles(): Plugin<Context> {
	return {
		onExecute({ args }) {
			const operation = getOperationAST(args.document, args.operationName);
			if (operation?.operation === "mutation" && args.contextValue.identity.role === "read") {
				throw new Fault("Forbidden", "This credential may only read");
			}
		},
	};
}
