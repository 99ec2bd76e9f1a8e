import type { ChatMessage, RandomStream } from "verl-ts";
import { LETTERS, LetterGame, range } from "./game.js";

export const QUESTION: ChatMessage = { role: "user", content: range(LETTERS) };

/** Chooses a letter; `left` are those that the answers leave. */
export type Player = (left: string, random: RandomStream) => string;

/** Guesses any letter that is left: it understands the answers, and has no plan. */
export const attentivePlayer: Player = (left, random) => left[random.int(left.length)];

/** Listens to three answers out of five, and else guesses any letter at all. */
export const carelessPlayer: Player = (left, random) => attentivePlayer(random.next() < 0.6 ? left : LETTERS, random);

/** What the best player does. */
export const bisectingPlayer: Player = (left) => left[left.length >> 1];

/** A whole game as a conversation. */
export function playGame(
  secret: string,
  player: Player,
  random: RandomStream,
): { readonly messages: readonly ChatMessage[]; readonly found: boolean } {
  const game = new LetterGame(secret);
  const messages = [QUESTION];
  for (;;) {
    const guess = player(game.left, random);
    messages.push({ role: "assistant", content: guess });
    const { observation, found } = game.move(guess);
    if (observation === null) return { messages, found };
    messages.push({ role: "user", content: observation });
  }
}

/** Share of games that a player wins. */
export function shareFound(player: Player, random: RandomStream, games = 26_000): number {
  let found = 0;
  for (let i = 0; i < games; i++) if (playGame(LETTERS[i % LETTERS.length], player, random).found) found++;
  return found / games;
}
