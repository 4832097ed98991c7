import { type ExecutionArgs, GraphQLError, type GraphQLErrorExtensions, getOperationAST } from "graphql";
import { isAsyncIterable, mapAsyncIterator, type Plugin } from "graphql-yoga";
import type { Logger } from "pino";
import { codeOf, Fault, STATUS_BY_CODE } from "../domain/faults.ts";
import { loggable } from "../store/postgres-errors.ts";
import { operationName, rootFields } from "./root-fields.ts";

const LONGEST_MESSAGE = 1_000;

/** What a request was, for those who count and log it. */
interface Outcome {
	requestId: string;
	/** Its root field, or `several`. */
	operation?: string;
	/** Of its first error. */
	code?: unknown;
	/** Whether it selects at most one root field. */
	alone?: boolean;
}

/**
 * Gives every error that leaves the gateway its code, status and request id (ERR-1, ERR-5), and the response of a
 * request with one root field the status of its error (ERR-7).
 */
export function errorShape(logger: Logger): Plugin<object, Outcome> {
	// What Yoga calls server context is the context of the execution, too.
	const select = ({ args }: { args: ExecutionArgs }) => {
		const operation = getOperationAST(args.document, args.operationName);
		if (!operation) return;
		const fields = rootFields(args.document, operation);
		const outcome = args.contextValue as Outcome;
		outcome.operation = operationName(fields);
		outcome.alone = fields.length === 1;
	};
	return {
		onExecute: select,
		onSubscribe: select,
		onResultProcess({ result, setResult, serverContext }) {
			if (isAsyncIterable(result)) {
				const shapeAll = (errors: readonly GraphQLError[]) =>
					errors.map((error) => shape(error, serverContext.requestId, logger, false));
				// What ends a stream is its last event.
				const onError = (error: GraphQLError) => ({ errors: shapeAll([error]) });
				setResult(mapAsyncIterator(result, (it) => (it.errors ? { ...it, errors: shapeAll(it.errors) } : it), onError));
				return;
			}
			if (!("errors" in result) || !result.errors?.length) return;
			const { alone = true } = serverContext;
			const errors = result.errors.map((error) => shape(error, serverContext.requestId, logger, alone));
			serverContext.code = errors[0]?.extensions["code"];
			setResult({ ...result, errors });
		},
	};
}

function shape(error: GraphQLError, requestId: string, logger: Logger, alone: boolean): GraphQLError {
	const original = originOf(error);
	const { nodes, source, positions, path } = error;
	const build = (message: string, { code, status, error: inner, retryAfter }: Partial<Fault> & { status: number }) => {
		const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
		const extensions: GraphQLErrorExtensions = {
			code,
			status,
			...(inner === undefined ? {} : { error: inner }),
			requestId,
			// Yoga takes the response's status from here and does not send it on.
			...(alone ? { http: { status, headers } } : {}),
		};
		return new GraphQLError(message, {
			nodes: nodes ?? null,
			source: source ?? null,
			positions: positions ?? null,
			path: path ?? null,
			extensions,
		});
	};
	if (original instanceof Fault) {
		// What the database did, which the caller is not told.
		if (original.status >= 500 && original.cause !== undefined) {
			logger.warn({ err: loggable(original.cause), requestId, code: original.code }, original.message);
		}
		return build(original.message, original);
	}
	if (original instanceof GraphQLError) {
		const status = statusOf(original);
		return build(cut(error.message), { code: codeOf(status), status });
	}
	logger.error({ err: loggable(original), requestId, path }, "unexpected error");
	return build("Unexpected error", { code: "UnknownError", status: STATUS_BY_CODE.UnknownError });
}

function originOf(error: Error): Error {
	return error instanceof GraphQLError && error.originalError ? originOf(error.originalError) : error;
}

/** Of an error of the GraphQL libraries themselves: a document or request that they refuse. */
function statusOf({ extensions }: GraphQLError): number {
	const { status } = (extensions["http"] ?? {}) as { status?: number };
	return status ?? STATUS_BY_CODE.BadRequest;
}

/** The libraries print the values that they refuse, whole. */
function cut(message: string): string {
	return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)}…`;
}
