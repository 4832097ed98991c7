import { createBrowserToken, revokeBrowserToken } from "../store/browser-tokens.ts";
import { builder } from "./builder.ts";
import { RoleRef } from "./viewer.ts";

const TOKEN_ID = "Names the token without revealing it: to revoke it by.";

builder.relayMutationField(
	"createBrowserToken",
	{
		description: "Of createBrowserToken.",
		inputFields: (t) => ({
			role: t.field({ type: RoleRef, description: "READ, the default, or WRITE." }),
			conversationIds: t.stringList({
				required: true,
				description: "The only conversations that the token reaches: 1 to 100. They need not exist yet.",
			}),
			lifetimeSeconds: t.int({ description: "How long it lives: 1 to 86,400 seconds; 900 when omitted." }),
		}),
	},
	{
		nullable: true,
		description:
			"Makes a short-lived token to be given to a browser. Everything but its conversations is absent to its reads and Forbidden to its writes, and messages elsewhere are absent to both. It ends with the token that made it, at the latest.",
		resolve: (_root, { input }, context) => createBrowserToken(context, input),
	},
	{
		description: "Of createBrowserToken.",
		outputFields: (t) => ({
			token: t.exposeString("token", { description: "The token, a JWT; it is stored nowhere." }),
			tokenId: t.exposeString("tokenId", { description: TOKEN_ID }),
			expiresAt: t.expose("expiresAt", { type: "DateTime", description: "When it ends." }),
		}),
	},
);

builder.relayMutationField(
	"revokeBrowserToken",
	{
		description: "Of revokeBrowserToken.",
		inputFields: (t) => ({ tokenId: t.string({ required: true, description: TOKEN_ID }) }),
	},
	{
		nullable: true,
		description: "Ends a browser token, within 10 seconds. One that is unknown or has ended is a success.",
		resolve: async (_root, { input }, context) => {
			await revokeBrowserToken(context, input);
			return input;
		},
	},
	{
		description: "Of revokeBrowserToken.",
		outputFields: (t) => ({ tokenId: t.exposeString("tokenId", { description: "The id as given." }) }),
	},
);
