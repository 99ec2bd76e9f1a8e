/**
 * A small model learns to find a letter by asking: npm run examples -- guessing-game [--help]
 */
import path from "node:path";
import { loadTokenizer, RandomStream, TurnEncoder } from "verl-ts";
import { BYTE_VOCABULARY, byteTokenizerFiles } from "../common/byte-tokenizer.js";
import { type ExampleOptions, readOptions } from "../common/command.js";
import { conversation, pooled } from "../common/conversation.js";
import { imitate } from "../common/imitation.js";
import { conclude, exampleResult, percent, reinforce } from "../common/reinforcement.js";
import { writeRows } from "../common/rows.js";
import { GUESSES, LETTERS } from "./game.js";
import {
  attentivePlayer,
  bisectingPlayer,
  carelessPlayer,
  type Player,
  playGame,
  QUESTION,
  shareFound,
} from "./players.js";

async function main(): Promise<void> {
  const options = readOptions({
    name: "guessing-game",
    steps: 80,
    supervisedSteps: 1000,
    items: 20 * LETTERS.length,
  });
  const { out, items, say } = options;
  const began = performance.now();
  // Every step plays each letter, so that no step differs from another in what is to be found.
  await writeRows(path.join(out, "train.jsonl"), games(LETTERS.length));
  await writeRows(path.join(out, "validation.jsonl"), games(items));

  say(`1. A model of random weights imitates a careless player.\n`);
  await supervised(options);
  say(`2. GRPO: a guess costs 0.1, the letter pays 1; after ${GUESSES} guesses the game is over.\n`);
  const players = { imitated: share(carelessPlayer), attentive: share(attentivePlayer), best: share(bisectingPlayer) };
  const outcome = await reinforce(options, {
    name: "guessing-game",
    variant: "grpo",
    label: "GRPO",
    measure: "val-core/guessing/acc/mean@1",
    title: `Games in which the letter is found within ${GUESSES} guesses`,
    levels: [
      { label: "the imitated player", value: players.imitated },
      { label: "any letter that is left", value: players.attentive },
    ],
  });
  const result = { ...exampleResult(outcome, began), ...players };
  conclude(options, result, [
    `A letter from a to z found within ${GUESSES} guesses, sampled at temperature 1:`,
    `   the player that was imitated        ${percent(result.imitated)}`,
    `   before GRPO                         ${percent(result.start)}`,
    `   after                               ${percent(result.end)}`,
    `   at random among the letters left    ${percent(result.attentive)}`,
    `   bisection                           ${percent(result.best)}`,
  ]);
}

/** The prompt tells nothing: which letter is to be found only the environment knows. */
function games(count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({
    prompt: [QUESTION],
    data_source: "guessing",
    reward_model: { style: "environment", ground_truth: LETTERS[i % LETTERS.length] },
  }));
}

async function supervised({ out, seed, supervisedSteps, threads, say }: ExampleOptions): Promise<void> {
  const tokenizerFiles = byteTokenizerFiles();
  const encoder = new TurnEncoder(await loadTokenizer(tokenizerFiles), { modelType: "llama" });
  await imitate(path.join(out, "model"), {
    model: { vocabulary: BYTE_VOCABULARY, width: 64, layers: 2, context: 48 },
    tokenizerFiles,
    steps: supervisedSteps,
    batchSize: 64,
    learningRate: { peak: 3e-3, end: 1.5e-4 },
    seed,
    threads,
    stream: "guessing-game/demonstrations",
    demonstration: pooled(16384, new RandomStream(seed, "guessing-game/games"), (random) =>
      conversation(encoder, playGame(LETTERS[random.int(LETTERS.length)], carelessPlayer, random).messages),
    ),
    say,
  });
}

const share = (player: Player) => shareFound(player, new RandomStream(1, "guessing-game/players"));

await main();
