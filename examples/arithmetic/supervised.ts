import path from "node:path";
import { charTokenizerFiles, loadTokenizer } from "verl-ts";
import type { ExampleOptions } from "../common/command.js";
import { imitate } from "../common/imitation.js";
import { writeRows } from "../common/rows.js";
import { type AdditionItem, ALPHABET, additionTask, demonstration, END, PAD } from "./task.js";

/** Held-out additions that are sampled and scored at every validation. */
export const VALIDATION_ITEMS = 1024;
/** Share of demonstrations in which the teacher forgets the carry. */
export const SLOPPINESS = 0.75;

/** Writes the data of the task, and a model that imitates a sloppy teacher: what GRPO starts from. */
export async function supervised(options: ExampleOptions): Promise<void> {
  const { out, seed, supervisedSteps, threads, say } = options;
  const task = additionTask(seed, VALIDATION_ITEMS);
  await writeRows(path.join(out, "train.jsonl"), task.train.map(row));
  await writeRows(path.join(out, "validation.jsonl"), task.validation.map(row));
  say(`1. A model of random weights imitates a teacher who forgets the carry ${100 * SLOPPINESS} % of the time.\n`);
  const tokenizerFiles = charTokenizerFiles(ALPHABET, {
    pad: PAD,
    eos: END,
    chatTemplate: "{{ messages[0]['content'] }}",
  });
  const tokenizer = await loadTokenizer(tokenizerFiles);
  await imitate(path.join(out, "model"), {
    model: { vocabulary: ALPHABET.length + 2, width: 192, layers: 4, context: 16 },
    tokenizerFiles,
    steps: supervisedSteps,
    batchSize: 128,
    seed,
    threads,
    stream: "arithmetic/demonstrations",
    demonstration(random) {
      const { prompt, answer } = demonstration(task, random, SLOPPINESS);
      return { promptIds: tokenizer.encode(prompt), responseIds: tokenizer.encode(answer) };
    },
    say,
  });
}

function row({ prompt, answer }: AdditionItem) {
  return {
    prompt: [{ role: "user", content: prompt }],
    data_source: "arithmetic",
    reward_model: { style: "rule", ground_truth: answer.slice(0, -END.length) },
  };
}
