import assert from "node:assert/strict";
import type { DataItem, Dataset, DatasetOptions } from "../../core/plugin.js";
import { createToyTokenizer } from "../agent/toy-tokenizer.js";
import type { ConformanceCase } from "../case.js";

export interface DatasetUnderTest {
  /** A dataset with at least two rows; made twice from the same files and options. */
  make(): Promise<Dataset>;
}

/** What every dataset must do. Run it with `runConformance`. */
export function datasetConformance({ make }: DatasetUnderTest): ConformanceCase[] {
  const withRows = (name: string, body: (dataset: Dataset, items: readonly DataItem[]) => void): ConformanceCase => ({
    name,
    async run() {
      const dataset = await make();
      body(
        dataset,
        Array.from({ length: dataset.length }, (_, i) => dataset.at(i)),
      );
    },
  });
  return [
    withRows("has rows", (dataset) => assert.ok(dataset.length >= 2)),
    withRows("gives every row messages with roles", (_, items) => {
      for (const { messages, origin } of items) {
        assert.ok(messages.length > 0, `${origin} has no messages`);
        for (const message of messages)
          assert.equal(typeof message.role, "string", `${origin}: a message without role`);
      }
    }),
    withRows("says where every row came from, each place once", (_, items) => {
      for (const { origin } of items) assert.notEqual(origin, "");
      assert.equal(new Set(items.map((item) => item.origin)).size, items.length);
    }),
    withRows("reads the same row the same way twice", (dataset, items) => {
      items.forEach((item, i) => {
        assert.deepEqual(dataset.at(i), item);
      });
    }),
    withRows("refuses indices outside", (dataset) => {
      assert.throws(() => dataset.at(dataset.length));
      assert.throws(() => dataset.at(-1));
    }),
    withRows("accounts for the rows that it left out", ({ length, report }) => {
      assert.ok(report.rows >= length + report.overlong, "rows < kept + overlong");
      assert.ok(Array.isArray(report.files), "a list of files; empty where there are none");
    }),
    {
      name: "is the same when it is made again",
      async run() {
        const [a, b] = [await make(), await make()];
        assert.equal(a.length, b.length);
        for (let i = 0; i < a.length; i++) assert.deepEqual(a.at(i), b.at(i));
      },
    },
  ];
}

/** What a data set is made from where nothing is said: no files, prompts of up to 512 tokens, every row. */
export function datasetOptions(over: Partial<DatasetOptions> = {}): DatasetOptions {
  return {
    files: [],
    tokenizer: createToyTokenizer(),
    split: "train",
    config: {
      promptKey: "prompt",
      maxPromptLength: 512,
      filterOverlongPrompts: true,
      maxSamples: -1,
      shuffle: false,
      seed: 1,
      applyChatTemplateKwargs: {},
    },
    ...over,
  };
}
