import assert from "node:assert/strict";
import type { Dataset, JsonValue, RowOutcome, Sampler, SamplerFactory, SamplerOptions } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

export interface SamplerUnderTest {
  readonly factory: SamplerFactory;
  /** Rows of the data set; default: 12 sums of growing size. */
  readonly dataset?: Dataset;
  readonly options?: Partial<SamplerOptions>;
}

const DRAWS = 60;
const BATCH = 4;

/** What every sampler of training rows must do. Run it with `runConformance`. */
export function samplerConformance({ factory, dataset = sums(12), options }: SamplerUnderTest): ConformanceCase[] {
  const make = async (over: Partial<SamplerOptions> = {}): Promise<Sampler> =>
    factory.create({ dataset, batchSize: BATCH, seed: 1, kwargs: {}, logger: SILENT, ...options, ...over });

  /** Steps of a run: rows are drawn, and the sampler is told how they came out. */
  const play = (sampler: Sampler, draws: number, scoreOf: (index: number) => number | null = score): number[] => {
    const drawn: number[] = [];
    while (drawn.length < draws) {
      const step = Array.from({ length: BATCH }, () => sampler.next());
      drawn.push(...step);
      sampler.update?.(step.map((index): RowOutcome => ({ index, scores: [scoreOf(index), scoreOf(index)] })));
    }
    return drawn;
  };

  return [
    {
      name: "draws rows that there are, for ever",
      async run() {
        for (const index of play(await make(), DRAWS)) {
          assert.ok(Number.isInteger(index) && index >= 0 && index < dataset.length, `row ${index}`);
        }
      },
    },
    {
      name: "counts passes from 0, and never back",
      async run() {
        const sampler = await make();
        let before = 0;
        for (let i = 0; i < DRAWS; i++) {
          sampler.next();
          assert.ok(Number.isInteger(sampler.epoch) && sampler.epoch >= before, `pass ${sampler.epoch}`);
          before = sampler.epoch;
        }
      },
    },
    {
      name: "draws the same rows from the same seed and the same results",
      async run() {
        assert.deepEqual(play(await make(), DRAWS), play(await make(), DRAWS));
      },
    },
    {
      name: "goes on from its state as if it had never stopped, wherever that was",
      async run() {
        for (const stop of [0, BATCH, 3 * BATCH, 9 * BATCH]) {
          const saved = await make();
          play(saved, stop);
          const state = JSON.parse(JSON.stringify(saved.state())) as JsonValue;
          assert.deepEqual(state, saved.state(), "a state is plain JSON");
          const resumed = await make({ seed: 2 });
          resumed.restore(state);
          assert.equal(resumed.epoch, saved.epoch);
          assert.deepEqual(play(resumed, DRAWS), play(saved, DRAWS), `after ${stop} draws`);
        }
      },
    },
    {
      name: "hands out a state that later draws leave alone",
      async run() {
        const sampler = await make();
        play(sampler, BATCH);
        const state = sampler.state();
        const before = JSON.stringify(state);
        play(sampler, BATCH);
        assert.equal(JSON.stringify(state), before);
      },
    },
    {
      name: "bears results that say nothing: no scores, no groups, groups that it did not draw now",
      async run() {
        const sampler = await make();
        play(sampler, DRAWS, () => null);
        sampler.update?.([]);
        sampler.update?.([{ index: 0, scores: [] }]);
        play(sampler, DRAWS, (index) => index % 2);
      },
    },
    {
      name: "refuses a state that is none",
      async run() {
        for (const state of [null, 7, "x", [], {}] as JsonValue[]) {
          const sampler = await make();
          assert.throws(() => sampler.restore(state), `it took ${JSON.stringify(state)}`);
        }
      },
    },
    {
      name: "draws from a data set of a single batch",
      async run() {
        const sampler = await make({ dataset: sums(BATCH) });
        for (const index of play(sampler, DRAWS)) assert.ok(index < BATCH, `row ${index}`);
      },
    },
  ];
}

/** What the model makes of a row: the first ones are easy. */
const score = (index: number): number => Math.max(0, 1 - index / 8);

function sums(length: number): Dataset {
  const at = (i: number) => ({
    messages: [{ role: "user", content: `${i}+${i}=` }],
    row: { data_source: "sums", reward_model: { ground_truth: String(2 * i) }, extra_info: { index: i } },
    origin: `sums#${i}`,
  });
  return { length, at, report: { files: ["sums"], rows: length, overlong: 0 } };
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
