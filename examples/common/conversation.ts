import {
  type ChatMessage,
  ContinuousTokenBuilder,
  type RandomStream,
  type SequenceInput,
  type TurnEncoder,
} from "verl-ts";
import { END } from "./byte-tokenizer.js";

/**
 * A demonstrated conversation as tokens, built as an agent loop builds them: turns of the assistant are imitated, what users
 * and tools say is read and not imitated.
 */
export function conversation(encoder: TurnEncoder, messages: readonly ChatMessage[]): SequenceInput {
  const tokens = new ContinuousTokenBuilder(encoder);
  const turns = messages.flatMap(({ role }, i) => (role === "assistant" ? [i] : []));
  tokens.start(messages.slice(0, turns[0]));
  for (const [n, i] of turns.entries()) {
    const tokenIds = encoder.tokenizer.encode(`${messages[i].content}${END}`, { addSpecialTokens: false });
    tokens.addAssistant({ tokenIds, minWeightVersion: 0, maxWeightVersion: 0 });
    const next = turns[n + 1];
    if (next !== undefined) tokens.addMessages(messages.slice(0, i + 1), messages.slice(0, next));
  }
  return tokens.current;
}

/** Draws from a pool of demonstrations: encoding each of them anew would take as long as learning from it. */
export function pooled(
  size: number,
  random: RandomStream,
  demonstration: (random: RandomStream) => SequenceInput,
): (random: RandomStream) => SequenceInput {
  const pool = Array.from({ length: size }, () => demonstration(random));
  return (draws) => pool[draws.int(size)];
}
