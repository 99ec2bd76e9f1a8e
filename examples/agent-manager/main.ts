/**
 * Episodes of a framework of one's own, which takes the place of the agent-loop manager:
 * npm run examples -- agent-manager [--help]
 */
import path from "node:path";
import { supervised } from "../arithmetic/supervised.js";
import { readOptions } from "../common/command.js";
import { conclude, exampleResult, percent, reinforce } from "../common/reinforcement.js";
import { writeRows } from "../common/rows.js";
import { sums } from "./sums.js";

async function main(): Promise<void> {
  const options = readOptions({ name: "agent-manager", steps: 60, supervisedSteps: 400, items: 512 });
  const { out, seed, items, say } = options;
  const began = performance.now();
  await supervised(options);
  const { train, validation } = sums(seed, { train: 8192, validation: items });
  await writeRows(path.join(out, "train.jsonl"), train);
  await writeRows(path.join(out, "validation.jsonl"), validation);
  say("2. GRPO: a crew of two adds three numbers; both get 1 if the sum is right.\n");
  const outcome = await reinforce(options, {
    name: "agent-manager",
    variant: "grpo",
    label: "GRPO",
    measure: "val-core/sums/acc/mean@1",
    title: "Right sums of three numbers, added by a crew of two",
  });
  const result = exampleResult(outcome, began);
  conclude(options, result, [
    `${items} held-out sums of three numbers, each worked out by two agents in turn:`,
    `   before GRPO  ${percent(result.start)}`,
    `   after        ${percent(result.end)}`,
  ]);
}

await main();
