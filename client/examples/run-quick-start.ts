// Runs the quick start and shows what it read back.
import { createExample } from "./quick-start.ts";

console.dir(await createExample(), { depth: null });
