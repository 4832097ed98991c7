import { startByHand } from "./by-hand.ts";
import { startGateway } from "./gateway.ts";
import { startLimit } from "./limit.ts";
import { startMercurius } from "./mercurius.ts";
import { startPostgraphile } from "./postgraphile.ts";

/** All who can append one message and list. */
export const EVERYONE = [startLimit, startByHand, startGateway, startMercurius, startPostgraphile];
