import { existsSync } from "node:fs";
import type { CodegenConfig } from "@graphql-codegen/cli";
import { type GraphQLSchema, printSchema } from "graphql";

const schemaModule = new URL("./server/graphql/schema.ts", import.meta.url);
const sdlFile = "server/graphql/schema.graphql";

async function config(): Promise<CodegenConfig> {
	if (!existsSync(schemaModule)) return { schema: sdlFile, generates: { ...operations } };
	const { schema } = (await import(schemaModule.href)) as { schema: GraphQLSchema };
	return { schema: printSchema(schema), generates: { [sdlFile]: { plugins: ["schema-ast"] }, ...operations } };
}

const operations: CodegenConfig["generates"] = {
	"client/generated/operations.ts": {
		documents: ["client/operations/conversations.graphql", "client/operations/messages.graphql"],
		plugins: ["typescript-operations", "typed-document-node"],
		config: {
			scalars: { JSON: "../types.ts#JsonValue", JSONObject: "../types.ts#JsonObject", DateTime: "string" },
			strictScalars: true,
			useTypeImports: true,
			skipTypename: true,
			// graphql's own typed document: the SDK then depends on nothing but graphql and graphql-request.
			documentNodeImport: "graphql#TypedQueryDocumentNode",
		},
	},
};

export default await config();
