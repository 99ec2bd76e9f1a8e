import { RandomStream } from "verl-ts";

/**
 * Two-digit addition with every number written least significant digit first: `75+86=` is 57 + 68, and its answer
 * `521.` is 125. One character is one token; `.` ends an answer.
 */
export interface AdditionItem {
  readonly prompt: string;
  /** The right answer, with its end mark. */
  readonly answer: string;
  /** What a teacher writes who adds digit by digit and forgets the carry. */
  readonly sloppyAnswer: string;
}

export interface AdditionTask {
  readonly train: readonly AdditionItem[];
  /** Items whose unordered pair of numbers never occurs in `train`. */
  readonly validation: readonly AdditionItem[];
}

export const PAD = "#";
export const END = ".";
/** Every other character. */
export const ALPHABET = "+=0123456789";
/** Longest prompt and longest answer in tokens. */
export const PROMPT_LENGTH = 6;
export const ANSWER_LENGTH = 4;

const reversed = (n: number) => [...String(n)].reverse().join("");

function item(a: number, b: number): AdditionItem {
  const tens = (Math.floor(a / 10) + Math.floor(b / 10)) % 10;
  const units = (a + b) % 10;
  return {
    prompt: `${reversed(a)}+${reversed(b)}=`,
    answer: reversed(a + b) + END,
    sloppyAnswer: reversed(tens * 10 + units) + END,
  };
}

/** All 10,000 additions, split by unordered pair, so that b + a never leaks what a + b is. */
export function additionTask(seed: number, validationItems: number): AdditionTask {
  const random = new RandomStream(seed, "arithmetic/split");
  const pairs: [number, number][] = [];
  for (let a = 0; a < 100; a++) for (let b = a; b < 100; b++) pairs.push([a, b]);
  const order = random.shuffled(pairs);
  const validation = order.slice(0, validationItems).map(([a, b]) => (random.next() < 0.5 ? item(a, b) : item(b, a)));
  const train = order.slice(validationItems).flatMap(([a, b]) => (a === b ? [item(a, b)] : [item(a, b), item(b, a)]));
  return { train: random.shuffled(train), validation };
}

/** Draws demonstrations of a teacher who forgets to carry with probability `sloppiness`. */
export function demonstration(
  task: AdditionTask,
  random: RandomStream,
  sloppiness: number,
): { readonly prompt: string; readonly answer: string } {
  const chosen = task.train[random.int(task.train.length)];
  return { prompt: chosen.prompt, answer: random.next() < sloppiness ? chosen.sloppyAnswer : chosen.answer };
}
