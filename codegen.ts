import type { CodegenConfig } from "@graphql-codegen/cli";
import { printSchema } from "graphql";
import { schema } from "./server/graphql/schema.ts";

/** `graphql-codegen` prints the gateway's schema and generates the SDK's typed operations. It needs no database. */
const config: CodegenConfig = {
	schema: printSchema(schema),
	generates: {
		"server/graphql/schema.graphql": { plugins: ["schema-ast"] },
		"client/generated/operations.ts": {
			documents: [
				"client/operations/agent-states.graphql",
				"client/operations/archives.graphql",
				"client/operations/branches.graphql",
				"client/operations/checkpoints.graphql",
				"client/operations/configs.graphql",
				"client/operations/contexts.graphql",
				"client/operations/conversations.graphql",
				"client/operations/erasures.graphql",
				"client/operations/forks.graphql",
				"client/operations/history.graphql",
				"client/operations/labels.graphql",
				"client/operations/messages.graphql",
				"client/operations/searches.graphql",
				"client/operations/state-checkpoints.graphql",
				"client/operations/states.graphql",
				"client/operations/tails.graphql",
				"client/operations/transcripts.graphql",
				"client/operations/viewer.graphql",
				"client/operations/trees.graphql",
			],
			plugins: ["typescript-operations", "typed-document-node"],
			config: {
				scalars: { JSON: "../types.ts#JsonValue", JSONObject: "../types.ts#JsonObject", DateTime: "string" },
				strictScalars: true,
				useTypeImports: true,
				skipTypename: true,
				// graphql's own typed document, so that the SDK depends on nothing but graphql and graphql-request.
				documentNodeImport: "graphql#TypedQueryDocumentNode",
			},
		},
	},
};

export default config;
