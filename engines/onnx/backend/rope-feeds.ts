import type { ModelConfig } from "../../../core/formats/index.js";
import { ropeTables } from "../models/rope-tables.js";
import { LAYOUT_FEEDS } from "../models/token-layout.js";
import type { OrtRuntime, OrtTensor } from "../runtime/index.js";

/** Rotary tables as feeds, grown to the longest sequence seen. */
export class RopeFeeds {
  private positions = 0;
  private feeds: Record<string, OrtTensor> = {};

  constructor(
    private readonly runtime: OrtRuntime,
    private readonly config: ModelConfig,
  ) {}

  upTo(positions: number): Readonly<Record<string, OrtTensor>> {
    if (positions > this.positions) {
      this.dispose();
      this.positions = 2 ** Math.ceil(Math.log2(Math.max(positions, 64)));
      const { cos, sin, negSin } = ropeTables(this.config, this.positions);
      const table = (data: Float32Array) =>
        this.runtime.tensor("float32", [this.positions, this.config.headDim / 2], data);
      this.feeds = {
        [LAYOUT_FEEDS.ropeCos]: table(cos),
        [LAYOUT_FEEDS.ropeSin]: table(sin),
        [LAYOUT_FEEDS.ropeNegSin]: table(negSin),
      };
    }
    return this.feeds;
  }

  dispose(): void {
    for (const tensor of Object.values(this.feeds)) tensor.release();
    this.feeds = {};
    this.positions = 0;
  }
}
