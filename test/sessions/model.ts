import type { MessageKind } from "@iga-pages/agent/sessions";

/** A message as the model knows it. */
export interface Node {
	id: string;
	seq: number;
	/** The branch that it was appended to. */
	branch: number;
	kind: MessageKind;
	label: string | null;
	/** Of a compaction, the seq of the first message that it keeps; null keeps all. */
	keptSeq: number | null;
}

/**
 * A conversation in memory, in the plainest way: every branch holds its whole path as a list. It does not know how
 * the gateway finds paths, and lets the gateway choose the numbers of branches.
 */
export class ModelConversation {
	readonly paths = new Map<number, Node[]>([[0, []]]);
	active = 0;
	lastSeq = 0;

	get path(): Node[] {
		return this.paths.get(this.active)!;
	}

	get nodes(): Node[] {
		return [...new Set([...this.paths.values()].flat())].sort((a, b) => a.seq - b.seq);
	}

	append(id: string, kind: MessageKind = "message", keptSeq: number | null = null): Node {
		const node = { id, seq: ++this.lastSeq, branch: this.active, kind, label: null, keptSeq };
		this.path.push(node);
		return node;
	}

	/** The path from the first message to this one. */
	pathTo(node: Node): Node[] {
		const path = this.paths.get(node.branch)!;
		return path.slice(0, path.indexOf(node) + 1);
	}

	/** Makes a branch active that shows `path`: an existing one that does already, or a new one. */
	moveTo(branch: number, path: Node[]): void {
		if (!this.paths.has(branch)) this.paths.set(branch, [...path]);
		this.active = branch;
	}

	delete(node: Node): void {
		for (const [branch, path] of this.paths) {
			this.paths.set(
				branch,
				path.filter((other) => other !== node),
			);
		}
	}

	/** The newest message that an agent works with. */
	get newest(): Node | undefined {
		return this.path.findLast(({ kind }) => kind === "message");
	}

	/** Takes the messages from a seq on off the active path; the branch that is active then is the gateway's choice. */
	takeOff(from: number, activeAfter: number): void {
		const others = [...this.paths].filter(([branch]) => branch !== this.active).flatMap(([, path]) => path);
		const goes = ({ kind, seq }: Node) => kind === "message" && seq >= from;
		const stays = this.path.filter((node) => !goes(node) || others.includes(node));
		this.paths.set(this.active, stays);
		if (!stays.some(goes)) return;
		const cut = stays.findIndex(({ seq }) => seq >= from);
		const before = cut === -1 ? stays : stays.slice(0, cut);
		// A branch that moves back takes along what stands on it alone.
		const own = stays.slice(before.length).filter((node) => node.branch === this.active && !goes(node));
		if (activeAfter === this.active) this.paths.set(this.active, [...before, ...own]);
		else this.moveTo(activeAfter, before);
	}

	clear(): void {
		this.paths.clear();
		this.paths.set(0, []);
		this.active = 0;
	}

	context(branch: number): Node[] {
		const path = this.paths.get(branch)!;
		const compaction = path.findLast(({ kind }) => kind === "compaction");
		const shown = path.filter(
			({ kind, seq }) => (kind === "message" || kind === "branch_summary") && seq >= (compaction?.keptSeq ?? 0),
		);
		return compaction === undefined ? shown : [compaction, ...shown];
	}

	parentOf(node: Node): Node | undefined {
		return this.pathTo(node).at(-2);
	}

	childrenOf(node: Node): Node[] {
		return this.nodes.filter((other) => this.parentOf(other) === node);
	}
}
