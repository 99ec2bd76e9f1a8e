import type { ModelConfig } from "../../../core/formats/index.js";
import type { OrtRuntime, OrtTensor } from "../runtime/index.js";
import { type RopeTable, ropeInput, ropeTables } from "./rope-tables.js";

/** The tables of a model's rotary embeddings as feeds. */
export function ropeFeeds(
  runtime: OrtRuntime,
  { ropes, headDim }: Pick<ModelConfig, "ropes" | "headDim">,
  positions: number,
  kinds: readonly RopeTable[],
): Record<string, OrtTensor> {
  const feeds: Record<string, OrtTensor> = {};
  ropes.forEach((rope, i) => {
    const tables = ropeTables(rope, positions);
    for (const kind of kinds) {
      feeds[ropeInput(i, kind)] = runtime.tensor("float32", [positions, headDim / 2], tables[kind]);
    }
  });
  return feeds;
}

/** Rotary tables as feeds, grown to the longest sequence seen. */
export class GrowingRopeFeeds {
  private positions = 0;
  private feeds: Readonly<Record<string, OrtTensor>> = {};

  constructor(
    private readonly runtime: OrtRuntime,
    private readonly config: ModelConfig,
  ) {}

  upTo(positions: number): Readonly<Record<string, OrtTensor>> {
    if (positions > this.positions) {
      this.dispose();
      this.positions = 2 ** Math.ceil(Math.log2(Math.max(positions, 64)));
      this.feeds = ropeFeeds(this.runtime, this.config, this.positions, ["cos", "sin", "negSin"]);
    }
    return this.feeds;
  }

  dispose(): void {
    for (const tensor of Object.values(this.feeds)) tensor.release();
    this.feeds = {};
    this.positions = 0;
  }
}
