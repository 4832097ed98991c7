import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { AnsweredRequest } from "./request-log.ts";

/** What is read when somebody asks for the metrics. */
export interface MetricSources {
	/** Database connections in use, and open ones besides; calls that wait for one. */
	pool(): { used: number; idle: number; waiting: number };
	requestsInFlight(): number;
	bytesInFlight(): number;
	/** Streams that follow a conversation. */
	liveTails(): number;
}

/** What is counted when it happens. */
export interface Metrics {
	onAnswer(answered: AnsweredRequest): void;
	/** Told of the rows that a committed statement wrote. */
	onRowsWritten(statement: string, rows: number): void;
}

/** Seconds, from a read of one row to the statement timeout. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

/**
 * Registers the gateway's metrics. Their labels come from fixed lists (root fields, error codes, statements), so that
 * their number is bounded, and nothing that a caller sent or is called appears in them.
 */
export function createMetrics(registry: Registry, sources: MetricSources): Metrics {
	const registers = [registry];
	const requests = new Counter({
		name: "agent_gateway_requests_total",
		help: "Answered requests, by operation and code (OK or the error's).",
		labelNames: ["operation", "code"] as const,
		registers,
	});
	const durations = new Histogram({
		name: "agent_gateway_request_duration_seconds",
		help: "Time from a request's head to its answer's.",
		labelNames: ["operation"] as const,
		buckets: DURATIONS,
		registers,
	});
	const rows = new Counter({
		name: "agent_gateway_rows_written_total",
		help: "Rows that committed statements inserted, updated or deleted, by statement.",
		labelNames: ["statement"] as const,
		registers,
	});
	new Gauge({
		name: "agent_gateway_database_connections",
		help: "Open database connections.",
		labelNames: ["state"] as const,
		registers,
		collect() {
			const { used, idle } = sources.pool();
			this.set({ state: "used" }, used);
			this.set({ state: "idle" }, idle);
		},
	});
	const read = (name: string, help: string, value: () => number) =>
		new Gauge({
			name,
			help,
			registers,
			collect() {
				this.set(value());
			},
		});
	read(
		"agent_gateway_database_waiting_calls",
		"Calls that wait for a database connection.",
		() => sources.pool().waiting,
	);
	read("agent_gateway_requests_in_flight", "Requests being worked on.", sources.requestsInFlight);
	read("agent_gateway_request_bytes_in_flight", "Bytes of the bodies being worked on.", sources.bytesInFlight);
	read("agent_gateway_live_tails", "Streams that follow a conversation.", sources.liveTails);
	return {
		onAnswer({ operation, code, seconds }) {
			requests.inc({ operation, code });
			durations.observe({ operation }, seconds);
		},
		onRowsWritten: (statement, count) => rows.inc({ statement }, count),
	};
}
