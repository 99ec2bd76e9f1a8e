import { type DataItem, type DatasetFactory, type DatasetOptions, RandomStream } from "verl-ts/plugin";

const ROWS = 200;

/**
 * Sums of two numbers, made up from `data.seed`. One of your own reads `files` (`data.train_files` and `data.val_files`), a database
 * or a service; a prompt that is longer than `config.maxPromptLength` tokens is left out and counted, or refused.
 */
export const dataset: DatasetFactory = {
  name: "__SHORT__",
  async create({ config, split, signal }: DatasetOptions) {
    signal?.throwIfAborted();
    const rows = config.maxSamples > 0 ? Math.min(config.maxSamples, ROWS) : ROWS;
    const items = Array.from({ length: rows }, (_, i) => sum(config.seed ?? 0, split, i));
    return {
      length: items.length,
      at(index) {
        const item = items[index];
        if (!item) throw new RangeError(`there is no row ${index} among ${items.length}`);
        return item;
      },
      report: { files: [], rows, overlong: 0 },
    };
  },
};

function sum(seed: number, split: string, index: number): DataItem {
  const random = new RandomStream(seed, `${split}/${index}`);
  const [a, b] = [random.int(100), random.int(100)];
  return {
    messages: [{ role: "user", content: `${a} + ${b} = ` }],
    row: { data_source: "__SHORT__", reward_model: { style: "rule", ground_truth: String(a + b) } },
    // For messages about the row.
    origin: `__SHORT__ ${split}#${index}`,
  };
}
