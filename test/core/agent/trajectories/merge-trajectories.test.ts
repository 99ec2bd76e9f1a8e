import { expect } from "chai";
import fc from "fast-check";
import { type MergedSample, type ModelCall, mergeTrajectories } from "../../../../core/agent/index.js";

describe("core/agent/trajectories/merge-trajectories", () => {
  const call = (prompt: number[], completion: number[], logProbs?: number[]): ModelCall => ({
    prompt,
    completion,
    ...(logProbs ? { logProbs } : {}),
  });

  it("takes the longest chain that fits, and of equal ones the one extended last", () => {
    const calls = [call([1], [2]), call([1], [2]), call([1, 2], [3]), call([1, 2], [4]), call([1, 2, 3], [5])];
    const tokens = mergeTrajectories(calls).map(({ promptIds, responseIds }) => [...promptIds, ...responseIds]);
    expect(tokens).to.deep.equal([
      [1, 2, 4],
      [1, 2, 3, 5],
    ]);
  });

  it("T33: keeps two conversations of one session apart, however their calls are interleaved", () => {
    const a = [call([1, 2], [3], [-1]), call([1, 2, 3, 4], [5], [-2])];
    const b = [call([1, 9], [8], [-3]), call([1, 9, 8, 7], [6, 6], [-4, -5])];
    const sampleA = {
      promptIds: [1, 2],
      responseIds: [3, 4, 5],
      responseMask: [1, 0, 1],
      responseLogProbs: [-1, 0, -2],
    };
    const sampleB = {
      promptIds: [1, 9],
      responseIds: [8, 7, 6, 6],
      responseMask: [1, 0, 1, 1],
      responseLogProbs: [-3, 0, -4, -5],
    };
    expect(mergeTrajectories([a[0], b[0], a[1], b[1]])).to.deep.equal([sampleA, sampleB]);
    expect(mergeTrajectories([b[0], a[0], a[1], b[1]])).to.deep.equal([sampleB, sampleA]);
    // Both begin with one prompt: what was sampled tells them apart.
    const [first, second] = [call([1], [2]), call([1], [3])];
    const merged = mergeTrajectories([first, second, call([1, 2, 4], [5]), call([1, 3, 4], [6])]);
    expect(merged.map(({ responseIds }) => responseIds)).to.deep.equal([
      [2, 4, 5],
      [3, 4, 6],
    ]);
  });

  it("leaves out samples without a sampled token, and keeps their chain open for later calls", () => {
    expect(mergeTrajectories([call([1], [])])).to.deep.equal([]);
    expect(mergeTrajectories([call([1], []), call([1, 2], [3])])).to.deep.equal([
      { promptIds: [1], responseIds: [2, 3], responseMask: [0, 1] },
    ]);
  });

  it("sets the log-probability 0 for a call without any in a chain that has some", () => {
    expect(mergeTrajectories([call([1], [2]), call([1, 2, 3], [4], [-0.5])])).to.deep.equal([
      { promptIds: [1], responseIds: [2, 3, 4], responseMask: [1, 0, 1], responseLogProbs: [0, 0, -0.5] },
    ]);
  });

  it("gives what the rule says, read from the end of each sample", () => {
    fc.assert(
      fc.property(histories, (calls) => {
        expect(mergeTrajectories(calls)).to.deep.equal(byRule(calls));
      }),
      { numRuns: 500 },
    );
  });
});

const tokens = fc.array(fc.nat(1), { maxLength: 3 });
const step = fc.record({
  /** Which earlier call the prompt goes on from; none if there is no such call. */
  from: fc.nat(6),
  how: fc.constantFrom("continue", "repeat", "edit", "roll back"),
  more: tokens,
  completion: tokens,
});

/** Calls that go on from each other, repeat, edit or roll back, over two tokens so that histories collide. */
const histories = fc.array(step, { maxLength: 10 }).map((steps) => {
  const calls: ModelCall[] = [];
  for (const { from, how, more, completion } of steps) {
    const earlier = calls[from] ?? { prompt: [], completion: [] };
    const whole = [...earlier.prompt, ...earlier.completion];
    const prompt = {
      continue: [...whole, ...more],
      repeat: [...earlier.prompt],
      edit: [...whole.slice(0, -1), ...more],
      "roll back": [...whole.slice(0, whole.length >> 1), ...more],
    }[how];
    calls.push({ prompt, completion, logProbs: completion.map((_, i) => -1 - i - calls.length) });
  }
  return calls;
});

/** The same rule over texts: which call each call follows, then every sample from its last call alone. */
function byRule(calls: readonly ModelCall[]): MergedSample[] {
  const text = (ids: readonly number[]) => ids.join("");
  const whole = calls.map(({ prompt, completion }) => text(prompt) + text(completion));
  const follows = calls.map(() => -1);
  const open = new Set<number>();
  calls.forEach(({ prompt }, number) => {
    const fitting = [...open].filter((other) => text(prompt).startsWith(whole[other]));
    fitting.sort((a, b) => whole[b].length - whole[a].length || b - a);
    if (fitting.length > 0) {
      follows[number] = fitting[0];
      open.delete(fitting[0]);
    }
    open.add(number);
  });
  return [...open]
    .map((last) => {
      const numbers = [last];
      while (follows[numbers[0]] >= 0) numbers.unshift(follows[numbers[0]]);
      return numbers;
    })
    .sort((a, b) => a[0] - b[0])
    .map((numbers) => sampleOf(numbers.map((number) => calls[number])))
    .filter(({ responseMask }) => responseMask.includes(1));
}

function sampleOf(calls: readonly ModelCall[]): MergedSample {
  const last = calls[calls.length - 1];
  const promptIds = [...calls[0].prompt];
  const responseIds = [...last.prompt, ...last.completion].slice(promptIds.length);
  const responseMask: (0 | 1)[] = responseIds.map(() => 0);
  const responseLogProbs = responseIds.map(() => 0);
  for (const { prompt, completion, logProbs } of calls) {
    completion.forEach((_, i) => {
      responseMask[prompt.length - promptIds.length + i] = 1;
      responseLogProbs[prompt.length - promptIds.length + i] = logProbs?.[i] ?? 0;
    });
  }
  return { promptIds, responseIds, responseMask, responseLogProbs };
}
