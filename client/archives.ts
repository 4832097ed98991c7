import { badRequest } from "./errors.ts";
import { ConversationArchiveDocument, ImportConversationDocument } from "./generated/operations.ts";
import { checkId, readArguments } from "./input.ts";
import { toPage } from "./pages.ts";
import type { Sessions } from "./session-methods.ts";
import type { ArchiveRecord } from "./session-types.ts";
import type { Transport } from "./transport.ts";
import type { Page } from "./types.ts";

/** The methods for archives; what they promise is said at `Sessions`. */
export function archiveMethods(transport: Transport): Pick<Sessions, "exportConversation" | "importConversation"> {
	return {
		exportConversation(input, options) {
			const args = readArguments("exportConversation", input, ["conversationId"]);
			const conversationId = checkId("conversationId", args.conversationId);
			return (async function* () {
				for (let after: { after?: string } | null = {}; after !== null; ) {
					const page: Page<ArchiveRecord> = await transport.request(
						{
							document: ConversationArchiveDocument,
							variables: { conversationId, ...after },
							retry: "always",
							read: (data) => {
								const lines = toPage(data.conversationArchive);
								return lines && { ...lines, items: lines.items.map((line) => JSON.parse(line) as ArchiveRecord) };
							},
						},
						options,
					);
					yield* page.items;
					after = page.nextCursor === null ? null : { after: page.nextCursor };
				}
			})();
		},

		async importConversation(records, options) {
			const lines: string[] = [];
			let conversationId: string | undefined;
			for await (const record of records) {
				if (record.record === "conversation") conversationId ??= checkId("conversationId", record["conversationId"]);
				lines.push(toLine(`records[${lines.length}]`, record));
			}
			if (conversationId === undefined) throw badRequest("records", "must hold the archive of a conversation");
			return transport.request(
				{
					document: ImportConversationDocument,
					variables: { input: { conversationId, lines } },
					retry: "always",
					read: (data) => data.importConversation ?? undefined,
				},
				options,
			);
		},
	};
}

function toLine(field: string, record: ArchiveRecord): string {
	try {
		return JSON.stringify(record);
	} catch (error) {
		throw badRequest(field, "must be JSON (VAL-5)", error);
	}
}
