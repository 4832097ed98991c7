import { guard } from "./access.ts";
import { builder } from "./builder.ts";
import "./browser-tokens.ts";
import "./checkpoints.ts";
import "./conversations.ts";
import "./history.ts";
import "./messages.ts";
import "./transcripts.ts";
import "./viewer.ts";

/** The executable schema; building it needs no database. */
export const schema = guard(builder.toSchema());
