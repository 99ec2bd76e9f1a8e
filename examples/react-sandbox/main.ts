/**
 * A ReAct agent learns that writing a program pays, and cannot learn it where nobody runs the program:
 * npm run examples -- react-sandbox [--help]
 */
import path from "node:path";
import { loadTokenizer, RandomStream, TurnEncoder } from "verl-ts";
import { BYTE_VOCABULARY, byteTokenizerFiles } from "../common/byte-tokenizer.js";
import { type ExampleOptions, readOptions } from "../common/command.js";
import { conversation, pooled } from "../common/conversation.js";
import { imitate } from "../common/imitation.js";
import { conclude, exampleResult, percent, type Reinforced, reinforce } from "../common/reinforcement.js";
import { writeRows } from "../common/rows.js";
import { demonstratedMessages, products, randomProduct } from "./products.js";
import { explained, requireSandbox } from "./require-sandbox.js";

const ROLLOUT = "actor_rollout_ref.rollout";
/** What the template shows of the tool: its name. */
const TOOLS = [{ type: "function", function: { name: "code_interpreter" } }];

async function main(): Promise<void> {
  const options = readOptions({
    name: "react-sandbox",
    steps: 25,
    supervisedSteps: 300,
    items: 64,
    switches: { calculator: "a tool that runs no programs, for machines without a sandbox" },
  });
  const { out, seed, items, say } = options;
  const calculator = options.chosen.has("calculator");
  const began = performance.now();
  // A sandbox that the command line names is checked by the run itself.
  const named = options.overrides.some((override) => override.startsWith("reward.sandbox"));
  if (!calculator && !named) await requireSandbox("namespaces");
  const { train, validation } = products(seed, { train: 2048, validation: items });
  await writeRows(path.join(out, "train.jsonl"), train);
  await writeRows(path.join(out, "validation.jsonl"), validation);

  say(
    "1. A model of random weights imitates a teacher who writes a program one time out of three, and else guesses.\n",
  );
  await supervised(options);
  say("2. GRPO: 8 products a step, 8 answers each, 1 for the right number.\n");
  const trained = await grpo(options, {
    variant: "grpo",
    label: calculator ? "with the calculator" : "with the sandbox",
    overrides: calculator ? [`${ROLLOUT}.multi_turn.tool_config_path=examples/react-sandbox/calculator.yaml`] : [],
  });
  say("3. Control: the same, but a trajectory ends with its first turn, so that no program is run.\n");
  const control = await grpo(options, {
    variant: "without-tool",
    label: "programs are not run",
    overrides: [
      `${ROLLOUT}.multi_turn.max_assistant_turns=1`,
      `${ROLLOUT}.multi_turn.tool_config_path=examples/react-sandbox/calculator.yaml`,
    ],
  });

  const [first, last] = [trained.validations[0], trained.validations[trained.validations.length - 1]];
  const used = "val-aux/products/used_tool/mean@1";
  const result = {
    ...exampleResult(trained, began),
    usedToolAtStart: first.metrics[used],
    usedToolAtEnd: last.metrics[used],
    control: control.curve[control.curve.length - 1][1],
  };
  conclude(options, result, [
    `${items} held-out products of three-digit numbers, sampled at temperature 1:`,
    `   right answers             ${percent(result.start)} -> ${percent(result.end)}`,
    `   wrote a program           ${percent(result.usedToolAtStart)} -> ${percent(result.usedToolAtEnd)}`,
    `   where none is run, right  ${percent(control.curve[0][1])} -> ${percent(result.control)}`,
  ]);
}

async function supervised({ out, seed, supervisedSteps, threads, say }: ExampleOptions): Promise<void> {
  const tokenizerFiles = byteTokenizerFiles();
  const encoder = new TurnEncoder(await loadTokenizer(tokenizerFiles), { modelType: "llama", tools: TOOLS });
  await imitate(path.join(out, "model"), {
    model: { vocabulary: BYTE_VOCABULARY, width: 128, layers: 3, context: 184 },
    tokenizerFiles,
    steps: supervisedSteps,
    batchSize: 32,
    seed,
    threads,
    stream: "react-sandbox/demonstrations",
    demonstration: pooled(4096, new RandomStream(seed, "react-sandbox/teacher"), (random) =>
      conversation(encoder, demonstratedMessages(randomProduct(random), random)),
    ),
    say,
  });
}

function grpo(
  options: ExampleOptions,
  run: { readonly variant: string; readonly label: string; readonly overrides: readonly string[] },
): Promise<Reinforced> {
  return reinforce(options, {
    name: "react-sandbox",
    measure: "val-core/products/acc/mean@1",
    title: "Right products of three-digit numbers",
    ...run,
  });
}

await main().catch((error: unknown) => {
  process.stderr.write(explained(error));
  process.exitCode = 1;
});
