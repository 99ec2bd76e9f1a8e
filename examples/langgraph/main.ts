/**
 * A ReAct agent of LangGraph learns that its tool pays: npm run examples -- langgraph [--help]
 */
import path from "node:path";
import { loadTokenizer, RandomStream, TurnEncoder } from "verl-ts";
import { BYTE_VOCABULARY, byteTokenizerFiles } from "../common/byte-tokenizer.js";
import { readOptions } from "../common/command.js";
import { conversation, pooled } from "../common/conversation.js";
import { imitate } from "../common/imitation.js";
import { average, conclude, exampleResult, percent, reinforce } from "../common/reinforcement.js";
import { writeRows } from "../common/rows.js";
import { demonstratedMessages, expressionRow, mathExpressions, randomExpression } from "./expressions.js";

/** What the template shows of the tools of `tools.yaml`: their names. */
const TOOLS = [{ type: "function", function: { name: "calculate" } }];

async function main(): Promise<void> {
  const options = readOptions({
    name: "langgraph",
    steps: 30,
    supervisedSteps: 400,
    items: 128,
    numbers: {
      "min-terms": { value: 2, least: 2, meaning: "fewest terms of an expression" },
      "max-terms": { value: 3, least: 2, meaning: "most terms; more of them need more room in grpo.yaml" },
    },
  });
  const { out, seed, items, supervisedSteps, threads, say } = options;
  const began = performance.now();
  const terms = { minTerms: options.numbers["min-terms"], maxTerms: options.numbers["max-terms"] };
  const { train, validation } = mathExpressions({ ...terms, seed, train: 1024, validation: items });
  await writeRows(path.join(out, "train.jsonl"), train.map(expressionRow));
  await writeRows(path.join(out, "validation.jsonl"), validation.map(expressionRow));

  say("1. A model of random weights imitates a teacher who uses the tool one time out of three.\n");
  const tokenizerFiles = byteTokenizerFiles();
  const encoder = new TurnEncoder(await loadTokenizer(tokenizerFiles), { modelType: "llama", tools: TOOLS });
  await imitate(path.join(out, "model"), {
    model: { vocabulary: BYTE_VOCABULARY, width: 128, layers: 3, context: 280 },
    tokenizerFiles,
    steps: supervisedSteps,
    batchSize: 32,
    seed,
    threads,
    stream: "langgraph/demonstrations",
    demonstration: pooled(4096, new RandomStream(seed, "langgraph/teacher"), (random) =>
      conversation(encoder, demonstratedMessages(randomExpression(terms, random), random)),
    ),
    say,
  });

  say("2. GRPO: 16 expressions a step, 8 sessions of the graph each, 1 for the right answer.\n");
  const outcome = await reinforce(options, {
    name: "langgraph",
    variant: "grpo",
    label: "GRPO",
    measure: "val-core/math_expression/acc/mean@1",
    title: "Right answers of the LangGraph agent",
  });
  const [first, last] = [outcome.validations[0], outcome.validations[outcome.validations.length - 1]];
  const used = "val-aux/math_expression/used_tool/mean@1";
  const result = {
    ...exampleResult(outcome, began),
    usedToolAtStart: first.metrics[used],
    usedToolAtEnd: last.metrics[used],
    turns: await average(outcome, "training/num_turns/mean"),
  };
  conclude(options, result, [
    `${items} held-out expressions of ${terms.minTerms} to ${terms.maxTerms} terms, sampled at temperature 1:`,
    `   right answers  ${percent(result.start)} -> ${percent(result.end)}`,
    `   used the tool  ${percent(result.usedToolAtStart)} -> ${percent(result.usedToolAtEnd)}`,
  ]);
}

await main();
