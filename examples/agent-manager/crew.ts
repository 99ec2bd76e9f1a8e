/**
 * A framework for teams of agents that knows nothing of training: agents are asked in words and answer in words. It decides
 * who is asked what, and when.
 */
export interface CrewRequest {
  /** Who is asked. */
  readonly agent: string;
  readonly text: string;
}

/** How a crew reaches its model. */
export type Ask = (request: CrewRequest) => Promise<string>;

/** Numbers are written least significant digit first, as the model was taught. */
const reversed = (text: string): string => [...text].reverse().join("");

/**
 * Adds several numbers by a chain of agents: the first adds two of them, each further one adds the next number to what its
 * colleague answered. Null where an answer is nothing that the next agent could go on with.
 */
export async function addTogether(numbers: readonly number[], ask: Ask): Promise<number | null> {
  let sum = numbers[0];
  for (const [i, number] of numbers.slice(1).entries()) {
    const text = `${reversed(String(sum))}+${reversed(String(number))}=`;
    const answer = reversed(await ask({ agent: `adder ${i + 1}`, text }));
    if (!/^[1-9]\d{0,2}$|^0$/.test(answer)) return null;
    sum = Number(answer);
  }
  return sum;
}
