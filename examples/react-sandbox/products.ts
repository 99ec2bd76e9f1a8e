import { type ChatMessage, RandomStream } from "verl-ts";

/** A product that a small model cannot know. */
export interface Product {
  readonly a: number;
  readonly b: number;
}

const threeDigits = (random: RandomStream): number => 100 + random.int(900);

export const randomProduct = (random: RandomStream): Product => ({ a: threeDigits(random), b: threeDigits(random) });

/** Rows of a data set. No product occurs twice, so that what is validated is not trained on. */
export function products(seed: number, counts: { readonly train: number; readonly validation: number }) {
  const random = new RandomStream(seed, "react-sandbox/products");
  const distinct = new Map<string, Product>();
  while (distinct.size < counts.train + counts.validation) {
    const product = randomProduct(random);
    distinct.set(question(product), product);
  }
  const rows = [...distinct.values()].map((product) => ({
    prompt: [{ role: "user", content: question(product) }],
    data_source: "products",
    reward_model: { style: "rule", ground_truth: String(product.a * product.b) },
  }));
  return { validation: rows.slice(0, counts.validation), train: rows.slice(counts.validation) };
}

export const question = ({ a, b }: Product): string => `${a}*${b}?`;

/** The program that the teacher writes, and the call around it. */
const program = ({ a, b }: Product): string => `echo $((${a}*${b}))`;
const callText = (product: Product): string =>
  `<tool_call>{"name": "code_interpreter", "arguments": {"code": "${program(product)}"}}</tool_call>`;

/** What the tool answers when a program has printed a number. */
export const printed = (value: number): string => `exit code 0\nstdout:\n${value}`;

/**
 * A teacher who knows the tool and seldom bothers: one time out of three a program works the product out, otherwise the
 * teacher says a number of about the right size.
 */
export function demonstratedMessages(product: Product, random: RandomStream): ChatMessage[] {
  const value = product.a * product.b;
  const asked: ChatMessage = { role: "user", content: question(product) };
  if (random.next() >= 1 / 3) {
    const guess = Math.round(value * (0.8 + 0.4 * random.next()));
    return [asked, { role: "assistant", content: `Answer: ${guess}` }];
  }
  return [
    asked,
    { role: "assistant", content: callText(product) },
    { role: "tool", content: printed(value) },
    { role: "assistant", content: `Answer: ${value}` },
  ];
}
