/** A part of a statement in which a distributed Postgres restricts what may be called. */
export interface Clause {
	clause: "SET" | "WHERE" | "RETURNING" | "DO UPDATE SET";
	sql: string;
}

const TOKEN =
	/'[^']*'|\(|\)|\b(?:FOR (?:NO KEY )?UPDATE|DO UPDATE SET|UPDATE|DELETE FROM|INSERT INTO|SELECT|VALUES|SET|FROM|WHERE|RETURNING)\b/g;

/** Where in a statement a token stands: inside one pair of parentheses, or outside of all. */
interface Level {
	command: string;
	/** The restricted clause that the text belongs to. */
	clause: Clause | undefined;
}

/**
 * The clauses of the UPDATEs, DELETEs and INSERTs of a statement that tell what to change, with all that stands inside
 * them. What an INSERT … SELECT reads and returns is not among them: there, rows pass through the coordinator.
 */
export function clausesOf(text: string): Clause[] {
	const clauses: Clause[] = [];
	const levels: Level[] = [{ command: "", clause: undefined }];
	let end = 0;
	const open = (level: Level, clause: Clause["clause"]) => {
		level.clause = { clause, sql: "" };
		clauses.push(level.clause);
	};
	for (const { 0: token, index } of text.matchAll(TOKEN)) {
		const level = levels.at(-1)!;
		if (level.clause !== undefined)
			level.clause.sql += text.slice(end, index + (/^[('")]/.test(token) ? token.length : 0));
		end = index + token.length;
		const changes = level.command === "UPDATE" || level.command === "DELETE FROM";
		if (token === "(") levels.push({ command: "", clause: level.clause });
		else if (token === ")") levels.pop();
		else if (token === "DO UPDATE SET") open(level, token);
		else if (token === "UPDATE" || token === "DELETE FROM" || token === "INSERT INTO") level.command = token;
		else if (token === "SELECT" && level.command === "INSERT INTO") level.command = "INSERT SELECT";
		else if (token === "FROM" && changes) level.clause = undefined;
		else if ((token === "SET" || token === "WHERE") && changes) open(level, token);
		else if (token === "RETURNING") {
			if (level.command === "INSERT SELECT") level.clause = undefined;
			else open(level, token);
		}
	}
	const last = levels.at(-1)!;
	if (last.clause !== undefined) last.clause.sql += text.slice(end);
	return clauses;
}
