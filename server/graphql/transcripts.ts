import type { Transcript, TranscriptEntry, TranscriptSummary } from "../domain/transcripts.ts";
import { listTranscriptEntries, listTranscriptSubpaths } from "../store/transcript-pages.ts";
import {
	appendTranscript,
	deleteTranscript,
	listTranscriptSummaries,
	listTranscripts,
	setTranscriptSummary,
} from "../store/transcripts.ts";
import { builder } from "./builder.ts";
import { checkForward, toConnection } from "./connections.ts";

const PROJECT_KEY = "What Claude calls the project: 1 to 512 UTF-8 bytes. Not the credential's project.";
const SESSION_ID = "The Claude session's id: 1 to 512 UTF-8 bytes.";
const SUBPATH = "The transcript of a subagent: 1 to 1,024 UTF-8 bytes; omitted for the main transcript.";
const MTIME =
	"Integer milliseconds: when its main transcript was last appended to. Strictly increasing; no two sessions under a project key share one.";
const SUMMARY = "JSON text of an object, as foldSessionSummary of the Claude Agent SDK makes it; never interpreted.";

const TranscriptRef = builder.objectRef<Transcript>("Transcript").implement({
	description: "A Claude session: its entries are read by `transcriptEntries`.",
	fields: (t) => ({
		sessionId: t.exposeString("sessionId", { description: SESSION_ID }),
		mtime: t.exposeFloat("mtime", { description: MTIME }),
	}),
});

const TranscriptSummaryRef = builder.objectRef<TranscriptSummary>("TranscriptSummary").implement({
	description: "A Claude session with its stored summary, which may be behind its main transcript.",
	fields: (t) => ({
		sessionId: t.exposeString("sessionId", { description: SESSION_ID }),
		mtime: t.exposeFloat("mtime", { description: MTIME }),
		summary: t.exposeString("summary", { nullable: true, description: `${SUMMARY} null when none was stored.` }),
		summaryMtime: t.exposeFloat("summaryMtime", {
			nullable: true,
			description: "The mtime at which the summary was up to date; null when none was stored.",
		}),
		unfoldedAfter: t.exposeString("unfoldedAfter", {
			description: "The cursor for `transcriptEntries` after which the entries are that the summary does not know.",
		}),
	}),
});

const TranscriptEntryRef = builder.objectRef<TranscriptEntry>("TranscriptEntry").implement({
	description: "An entry of a transcript.",
	fields: (t) => ({
		seq: t.exposeString("seq", {
			description: "Its place among the entries of its session, a decimal string: compare as big integers.",
		}),
		entry: t.exposeString("entry", { description: "The entry as JSON text, exactly as it was appended." }),
	}),
});

const TranscriptSubpathRef = builder.objectRef<string>("TranscriptSubpath").implement({
	description: "The transcript of a subagent inside a session.",
	fields: (t) => ({ subpath: t.string({ resolve: (it) => it, description: "Its path inside the session." }) }),
});

builder.queryField("transcripts", (t) =>
	t.connection(
		{
			type: TranscriptRef,
			nullable: true,
			description: "The sessions under a project key whose main transcript has entries, by id; sort them by mtime.",
			args: { projectKey: t.arg.string({ required: true, description: PROJECT_KEY }) },
			resolve: async (_root, args, context) => {
				checkForward(args, "");
				return toConnection(await listTranscripts(context, args), args.after);
			},
		},
		{ name: "TranscriptConnection", description: "A page of sessions." },
		{ name: "TranscriptEdge", description: "A session and the cursor after it." },
	),
);

builder.queryField("transcriptSummaries", (t) =>
	t.connection(
		{
			type: TranscriptSummaryRef,
			nullable: true,
			description: "The same sessions with their stored summaries.",
			args: { projectKey: t.arg.string({ required: true, description: PROJECT_KEY }) },
			resolve: async (_root, args, context) => {
				checkForward(args, "");
				return toConnection(await listTranscriptSummaries(context, args), args.after);
			},
		},
		{ name: "TranscriptSummaryConnection", description: "A page of sessions with their summaries." },
		{ name: "TranscriptSummaryEdge", description: "A session with its summary, and the cursor after it." },
	),
);

builder.queryField("transcriptEntries", (t) =>
	t.connection(
		{
			type: TranscriptEntryRef,
			nullable: true,
			description:
				"The entries of a main transcript or subpath in the order of their append, at most 1,000 a page; an empty page for an unknown one. A walk is bounded at its first page: entries appended later do not appear in it.",
			args: {
				projectKey: t.arg.string({ required: true, description: PROJECT_KEY }),
				sessionId: t.arg.string({ required: true, description: SESSION_ID }),
				subpath: t.arg.string({ description: SUBPATH }),
			},
			resolve: async (_root, args, context) => {
				checkForward(args, "");
				return toConnection(await listTranscriptEntries(context, args), args.after);
			},
		},
		{ name: "TranscriptEntryConnection", description: "A page of entries." },
		{ name: "TranscriptEntryEdge", description: "An entry and the cursor after it." },
	),
);

builder.queryField("transcriptSubpaths", (t) =>
	t.connection(
		{
			type: TranscriptSubpathRef,
			nullable: true,
			description: "The subpaths of a session that have entries.",
			args: {
				projectKey: t.arg.string({ required: true, description: PROJECT_KEY }),
				sessionId: t.arg.string({ required: true, description: SESSION_ID }),
			},
			resolve: async (_root, args, context) => {
				checkForward(args, "");
				return toConnection(await listTranscriptSubpaths(context, args), args.after);
			},
		},
		{ name: "TranscriptSubpathConnection", description: "A page of subpaths." },
		{ name: "TranscriptSubpathEdge", description: "A subpath and the cursor after it." },
	),
);

builder.relayMutationField(
	"appendTranscript",
	{
		description: "Of appendTranscript.",
		inputFields: (t) => ({
			projectKey: t.string({ required: true, description: PROJECT_KEY }),
			sessionId: t.string({ required: true, description: SESSION_ID }),
			subpath: t.string({ description: SUBPATH }),
			batchId: t.string({
				required: true,
				description: "An id of the caller's for the batch that the entries belong to: 1 to 256 UTF-8 bytes.",
			}),
			start: t.int({
				required: true,
				description: "The place of the first of these entries in its batch; 0 where the batch is sent at once.",
			}),
			entries: t.stringList({
				required: true,
				description: "1 to 1,000 entries in order, each as JSON text, which is stored as it is.",
			}),
		}),
	},
	{
		nullable: true,
		description:
			"Appends entries to a transcript and begins it where there is none. Left out are entries whose uuid this transcript has already, and places of this batch that were stored before: so it may be repeated.",
		resolve: async (_root, { input }, context) => ({ appended: await appendTranscript(context, input) }),
	},
	{
		description: "Of appendTranscript.",
		outputFields: (t) => ({
			appended: t.exposeInt("appended", { description: "How many of the entries were new." }),
		}),
	},
);

builder.relayMutationField(
	"setTranscriptSummary",
	{
		description: "Of setTranscriptSummary.",
		inputFields: (t) => ({
			projectKey: t.string({ required: true, description: PROJECT_KEY }),
			sessionId: t.string({ required: true, description: SESSION_ID }),
			mtime: t.float({
				required: true,
				description: "The mtime that the session had before the entries were read which the summary was made of.",
			}),
			summary: t.string({ required: true, description: `${SUMMARY} At most 1 MiB.` }),
		}),
	},
	{
		nullable: true,
		description: "Stores the summary of a main transcript, unless something was appended to it since that mtime.",
		resolve: async (_root, { input }, context) => ({ stored: await setTranscriptSummary(context, input) }),
	},
	{
		description: "Of setTranscriptSummary.",
		outputFields: (t) => ({
			stored: t.exposeBoolean("stored", { description: "Whether it was stored." }),
		}),
	},
);

builder.relayMutationField(
	"deleteTranscript",
	{
		description: "Of deleteTranscript.",
		inputFields: (t) => ({
			projectKey: t.string({ required: true, description: PROJECT_KEY }),
			sessionId: t.string({ required: true, description: SESSION_ID }),
			subpath: t.string({ description: "The one subpath to delete; omitted, the session goes with all of them." }),
		}),
	},
	{
		nullable: true,
		description:
			"Deletes a session with its subpaths and summary, or one subpath, for ever; uuids and batches are forgotten with it. An unknown one is a success. A later append begins the transcript anew.",
		resolve: async (_root, { input }, context) => {
			await deleteTranscript(context, input);
			return input;
		},
	},
	{
		description: "Of deleteTranscript.",
		outputFields: (t) => ({ sessionId: t.exposeString("sessionId", { description: "The id as given." }) }),
	},
);
