import type { ChatMessage, RandomStream } from "verl-ts";
import { HIGHEST, NumberGame } from "./game.js";

export const QUESTION: ChatMessage = { role: "user", content: `1 to ${HIGHEST}?` };

/** A move as the game takes it. */
export const written = (guess: number): string => String(guess).padStart(2, "0");

/** Chooses a number between the bounds that the answers leave. */
export type Player = (low: number, high: number, random: RandomStream) => number;

/** Guesses at random: often within the bounds that it knows, and else anything. */
export const carelessPlayer: Player = (low, high, random) =>
  random.next() < 0.7 ? low + random.int(high - low + 1) : 1 + random.int(HIGHEST);

/** What the best player does. */
export const bisectingPlayer: Player = (low, high) => Math.floor((low + high) / 2);

/** A whole game as a conversation. */
export function playGame(
  secret: number,
  player: Player,
  random: RandomStream,
): { readonly messages: readonly ChatMessage[]; readonly found: boolean } {
  const game = new NumberGame(secret);
  const messages = [QUESTION];
  let [low, high] = [1, HIGHEST];
  for (;;) {
    const guess = player(low, high, random);
    messages.push({ role: "assistant", content: written(guess) });
    const { observation, found } = game.move(written(guess));
    if (observation === null) return { messages, found };
    messages.push({ role: "user", content: observation });
    if (observation === "higher") low = Math.max(low, guess + 1);
    else high = Math.min(high, guess - 1);
  }
}
