import { RandomStream } from "verl-ts";

/** Three numbers of which the first two have a sum of two digits: what the model was taught to add. */
function sum(random: RandomStream): readonly number[] {
  const a = random.int(99);
  const b = random.int(100 - a);
  return [a, b, random.int(100)];
}

/** Rows of a data set. No sum occurs twice, so that what is validated is not trained on. */
export function sums(seed: number, counts: { readonly train: number; readonly validation: number }) {
  const random = new RandomStream(seed, "agent-manager/sums");
  const distinct = new Map<string, readonly number[]>();
  while (distinct.size < counts.train + counts.validation) {
    const numbers = sum(random);
    distinct.set(numbers.join("+"), numbers);
  }
  const rows = [...distinct].map(([question, numbers]) => ({
    prompt: [{ role: "user", content: question }],
    data_source: "sums",
    numbers,
  }));
  return { validation: rows.slice(0, counts.validation), train: rows.slice(counts.validation) };
}
