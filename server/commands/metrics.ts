import type { Logger } from "pino";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { Config } from "../config.ts";
import { listenForMetrics } from "./http-server.ts";
import type { Lifetime } from "./lifetime.ts";

/** Serves metrics, those of the process included, on METRICS_PORT; undefined where that is unset. */
export async function serveMetrics(
	{ host, metricsPort }: Pick<Config, "host" | "metricsPort">,
	logger: Logger,
	lifetime: Lifetime,
): Promise<Registry | undefined> {
	if (metricsPort === undefined) return undefined;
	const metrics = new Registry();
	collectDefaultMetrics({ register: metrics });
	const url = await listenForMetrics(metrics, { host, port: metricsPort, variable: "METRICS_PORT" }, lifetime);
	logger.info({ url }, "metrics are served");
	return metrics;
}
