import { readdir } from "node:fs/promises";
import { Session } from "node:inspector/promises";

/** A fixed statement of the gateway. */
export interface NamedText {
	name: string;
	text: string;
	/** Planned anew each time. */
	replan: boolean;
}

const STORE = new URL("../../server/store/", import.meta.url);

/** What is called on all plain objects of the process. Some are proxies, which may throw when they are looked at. */
const FIND = `function () {
	const found = [];
	for (const it of this) {
		try {
			const { name, text, replan = false } = it;
			const known = Object.keys(it).every((key) => ["name", "text", "replan", "returnsWritten", "conversation"].includes(key));
			if (known && typeof name === "string" && typeof text === "string") found.push({ name, text, replan });
		} catch {}
	}
	return found;
}`;

/**
 * All statements that the modules of the store hold, by name. They are constants that no module shows to others, so
 * they are looked for among the objects that live once all modules are loaded.
 */
export async function loadStatements(): Promise<NamedText[]> {
	const modules = (await readdir(STORE)).filter((name) => name.endsWith(".ts"));
	for (const name of modules) await import(new URL(name, STORE).href);
	const session = new Session();
	session.connect();
	const { result } = await session.post("Runtime.evaluate", { expression: "Object.prototype" });
	const { objects } = await session.post("Runtime.queryObjects", { prototypeObjectId: result.objectId! });
	const found = await session.post("Runtime.callFunctionOn", {
		objectId: objects.objectId!,
		functionDeclaration: FIND,
		returnByValue: true,
	});
	session.disconnect();
	const statements = found.result.value as NamedText[];
	return statements.sort((a, b) => (a.name < b.name ? -1 : 1));
}
