/**
 * A small model learns to find a number by asking: npm run examples -- guessing-game [--help]
 */
import path from "node:path";
import { loadTokenizer, RandomStream, TurnEncoder } from "verl-ts";
import { BYTE_VOCABULARY, byteTokenizerFiles } from "../common/byte-tokenizer.js";
import { type ExampleOptions, readOptions } from "../common/command.js";
import { conversation, pooled } from "../common/conversation.js";
import { imitate } from "../common/imitation.js";
import { conclude, exampleResult, percent, reinforce } from "../common/reinforcement.js";
import { writeRows } from "../common/rows.js";
import { GUESSES, HIGHEST } from "./game.js";
import { bisectingPlayer, carelessPlayer, playGame, QUESTION } from "./players.js";

async function main(): Promise<void> {
  const options = readOptions({ name: "guessing-game", steps: 60, supervisedSteps: 200, items: 4 * HIGHEST });
  const { out, items, say } = options;
  const began = performance.now();
  await writeRows(path.join(out, "train.jsonl"), games(4 * HIGHEST));
  await writeRows(path.join(out, "validation.jsonl"), games(items));

  say(`1. A model of random weights imitates a careless player.\n`);
  await supervised(options);
  say(`2. GRPO: a guess costs 0.1, the number pays 1; after ${GUESSES} guesses the game is over.\n`);
  const outcome = await reinforce(options, {
    name: "guessing-game",
    variant: "grpo",
    label: "GRPO",
    measure: "val-core/guessing/acc/mean@1",
    title: `Games in which the number is found within ${GUESSES} guesses`,
  });
  const result = {
    ...exampleResult(outcome, began),
    imitated: foundBy(carelessPlayer),
    best: foundBy(bisectingPlayer),
  };
  conclude(options, result, [
    `A number from 1 to ${HIGHEST} found within ${GUESSES} guesses, sampled at temperature 1:`,
    `   the player that was imitated  ${percent(result.imitated)}`,
    `   before GRPO                   ${percent(result.start)}`,
    `   after                         ${percent(result.end)}`,
    `   bisection                     ${percent(result.best)}`,
  ]);
}

/** The prompt tells nothing: which number is to be found only the environment knows. */
function games(count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({
    prompt: [QUESTION],
    data_source: "guessing",
    reward_model: { style: "environment", ground_truth: 1 + (i % HIGHEST) },
  }));
}

async function supervised({ out, seed, supervisedSteps, threads, say }: ExampleOptions): Promise<void> {
  const tokenizerFiles = byteTokenizerFiles();
  const encoder = new TurnEncoder(await loadTokenizer(tokenizerFiles), { modelType: "llama" });
  await imitate(path.join(out, "model"), {
    model: { vocabulary: BYTE_VOCABULARY, width: 128, layers: 3, context: 72 },
    tokenizerFiles,
    steps: supervisedSteps,
    batchSize: 64,
    seed,
    threads,
    stream: "guessing-game/demonstrations",
    demonstration: pooled(4096, new RandomStream(seed, "guessing-game/games"), (random) =>
      conversation(encoder, playGame(1 + random.int(HIGHEST), carelessPlayer, random).messages),
    ),
    say,
  });
}

function foundBy(player: typeof carelessPlayer): number {
  const random = new RandomStream(1, "guessing-game/players");
  const rounds = 20_000;
  let found = 0;
  for (let i = 0; i < rounds; i++) if (playGame(1 + (i % HIGHEST), player, random).found) found++;
  return found / rounds;
}

await main();
