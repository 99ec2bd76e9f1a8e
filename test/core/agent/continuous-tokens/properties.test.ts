import { expect } from "chai";
import fc from "fast-check";
import { ContinuousTokenBuilder, TurnEncoder } from "../../../../core/agent/index.js";
import type { ChatMessage, Tokenizer } from "../../../../core/data/index.js";
import { createToyTokenizer } from "../../../../testing/index.js";
import { assistant, bytesTokenizer, caseTemplates, system, tool, user } from "./support.js";

const text = fc
  .array(fc.constantFrom("he", "llo", "hello", "h", "o", " ", "\n", "?", "é"), { maxLength: 6 })
  .map((parts) => parts.join(""));
const ascii = text.map((value) => value.replaceAll("é", "e"));

interface Turn {
  /** Draws of sampled ids; taken modulo the vocabulary. */
  readonly draws: readonly number[];
  readonly ended: boolean;
  readonly next: readonly ChatMessage[];
}

const turns = (content: fc.Arbitrary<string>, late: readonly ("tool" | "user" | "system")[]) =>
  fc.array(
    fc.record({
      draws: fc.array(fc.nat(10_000), { maxLength: 6 }),
      ended: fc.boolean(),
      next: fc.array(
        fc.tuple(fc.constantFrom(...late), content).map(([role, value]) => ({ tool, user, system })[role](value)),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 4 },
  );

/** Play the turns and check what holds for every tokenizer and template. */
function check(tokenizer: Tokenizer, encoder: TurnEncoder, first: ChatMessage, played: readonly Turn[]): void {
  const tokens = new ContinuousTokenBuilder(encoder);
  let messages: readonly ChatMessage[] = [first];
  tokens.start(messages);
  expect(tokens.promptIds).to.deep.equal(encoder.encode(messages));
  const mask: number[] = [];
  for (const { draws, ended, next } of played) {
    const prompt = tokens.promptIds;
    const completion = draws.map((draw) => 6 + (draw % (tokenizer.vocabSize - 6)));
    if (ended) completion.push(tokenizer.eosTokenId as number);
    tokens.addAssistant({
      tokenIds: completion,
      logProbs: completion.map((id) => -id - 1),
      minWeightVersion: 0,
      maxWeightVersion: 0,
    });
    const previous = [...messages, assistant(tokenizer.decode(completion))];
    messages = [...previous, ...next];
    const edit = tokens.addMessages(previous, messages);
    expect(edit.kind, edit.reason).to.equal("messages");

    const seen = [...prompt, ...completion];
    expect(tokens.promptIds.slice(0, seen.length)).to.deep.equal(seen);
    const { promptIds, responseIds, responseMask, responseLogProbs } = tokens.current;
    mask.push(...completion.map(() => 1));
    while (mask.length < tokens.promptIds.length - promptIds.length) mask.push(0);
    expect(responseMask).to.deep.equal(mask);
    expect(responseIds).to.have.length(mask.length);
    // A server without log-probabilities and a trajectory without sampled tokens are the same.
    if (responseLogProbs) {
      expect(responseLogProbs).to.deep.equal(responseIds.map((id, t) => (mask[t] === 1 ? -id - 1 : 0)));
    } else expect(mask).not.to.include(1);
  }
}

describe("tokens of random conversations", () => {
  it("begin each prompt with the last prompt and completion, whatever the vocabulary merges", () => {
    const pieces = fc.uniqueArray(fc.constantFrom("he", "llo", "hello", "lo ", "o\n", "\n\n", " he", "e?", "l<", ">h"));
    fc.assert(
      fc.property(pieces, ascii, turns(ascii, ["tool", "user", "system"]), (merged, first, played) => {
        const letters = ["\n", ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))];
        const tokenizer = createToyTokenizer({ vocabulary: [...letters, ...merged] });
        check(tokenizer, new TurnEncoder(tokenizer), user(first), played);
      }),
      { numRuns: 60 },
    );
  });

  const byFamily = [
    ["chatml_default_system", "qwen2", "<|im_end|>", ["tool", "user", "system"]],
    ["hermes_like", "llama", "<|im_end|>", ["tool", "user", "system"]],
    ["qwen_like", "qwen3", "<|im_end|>", ["tool", "user", "system"]],
    ["deepseek_like", "deepseek_v3", "<｜end｜>", ["tool", "user"]],
  ] as const;
  for (const [template, modelType, stop, late] of byFamily) {
    it(`do so by the template ${template}, with random merges of bytes`, async () => {
      const merges = fc.uniqueArray(
        fc.constantFrom(
          ["h", "e"],
          ["l", "l"],
          ["ll", "o"],
          ["he", "llo"],
          ["Ċ", "Ċ"],
          ["Ġ", "h"],
          ["u", "s"],
          ["s", "e"],
        ),
        { selector: (pair) => pair.join("") },
      );
      // A merge whose parts are not tokens is refused, and so is what needs its result.
      const whole = (pairs: readonly (readonly string[])[]): readonly (readonly string[])[] => {
        const made = new Set(pairs.map((pair) => pair.join("")));
        const kept = pairs.filter((pair) => pair.every((part) => part.length === 1 || made.has(part)));
        return kept.length < pairs.length ? whole(kept) : kept;
      };
      await fc.assert(
        fc.asyncProperty(merges, text, turns(text, late), async (pairs, first, played) => {
          const tokenizer = await bytesTokenizer({
            template: caseTemplates.get(template) as string,
            stop: [stop],
            merges: whole(pairs) as (readonly [string, string])[],
          });
          check(tokenizer, new TurnEncoder(tokenizer, { modelType }), user(first), played);
        }),
        { numRuns: 10 },
      );
    });
  }
});
