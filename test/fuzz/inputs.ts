import fc from "fast-check";
import { bytesOf, type FuzzReader } from "./fuzz-reader.js";
import { mutations } from "./mutate.js";

/** Drawn at a time, so that few inputs are in memory. */
const AT_ONCE = 50;

/** The seeds as they are, then `runs` inputs drawn by `seed`: mutations, and where there is a grammar as many texts by it. */
export async function* inputsOf(reader: FuzzReader, runs: number, seed: number): AsyncGenerator<Uint8Array> {
  const seeds = (await reader.seeds()).map(bytesOf);
  yield* seeds;
  const mutated = mutations(seeds, (reader.words ?? []).map(bytesOf));
  const input = reader.generated ? fc.oneof(mutated, reader.generated.map(bytesOf)) : mutated;
  for (let drawn = 0; drawn < runs; drawn += AT_ONCE) {
    yield* fc.sample(input, { numRuns: Math.min(AT_ONCE, runs - drawn), seed: seed + drawn });
  }
}
