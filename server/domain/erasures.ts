/** What was removed, by kind: rows of what an archive has as records, and those that only the gateway knows. */
export interface Erasure {
	conversations: number;
	messages: number;
	branches: number;
	historyOperations: number;
	states: number;
	stateCheckpoints: number;
	checkpoints: number;
	channelValues: number;
	checkpointWrites: number;
	transcripts: number;
	transcriptEntries: number;
}

export type ErasedKind = keyof Erasure;

export const NOTHING_ERASED: Readonly<Erasure> = {
	conversations: 0,
	messages: 0,
	branches: 0,
	historyOperations: 0,
	states: 0,
	stateCheckpoints: 0,
	checkpoints: 0,
	channelValues: 0,
	checkpointWrites: 0,
	transcripts: 0,
	transcriptEntries: 0,
};

/** Adds up what was removed. */
export function addErasures(a: Readonly<Erasure>, b: Readonly<Partial<Erasure>>): Erasure {
	const sums = Object.entries(a).map(([kind, count]) => [kind, count + (b[kind as ErasedKind] ?? 0)]);
	return Object.fromEntries(sums) as unknown as Erasure;
}
