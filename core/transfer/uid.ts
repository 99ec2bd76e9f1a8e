import { hashText, philox } from "../data/random.js";

const DIGITS = 10;

/**
 * The uid of the prompt that was handed out as number `draw` of a run. It depends on nothing but its arguments, so a
 * resumed run names its prompts as the uninterrupted one would; as text, uids sort by draw; they hold no underscore.
 * `stream` keeps prompts of different purposes apart (`train`, `val`, …): it enters the suffix.
 */
export function promptUid(seed: number, draw: number, stream = "train"): string {
  if (!Number.isSafeInteger(draw) || draw < 0 || draw >= 10 ** DIGITS) {
    throw new RangeError(`draw must be a whole number from 0 to 10^${DIGITS} - 1, not ${draw}`);
  }
  const [word] = philox(hashText(String(seed)), hashText(stream), draw, Math.floor(draw / 2 ** 32));
  return `${String(draw).padStart(DIGITS, "0")}-${word.toString(16).padStart(8, "0")}`;
}
