import { expect } from "chai";
import fc from "fast-check";
import type { IncrementalDecoder } from "../../../core/data/index.js";
import { StopChecker } from "../../../core/rollout/index.js";
import { StopTextMatcher } from "../../../core/rollout/stop.js";
import { byteDecoder } from "../data/byte-decoder.js";

/** A byte-level tokenizer: token = one byte. */
const bytes = (ids: readonly number[]): string => Buffer.from(ids).toString("utf8");
const encode = (text: string): number[] => [...Buffer.from(text, "utf8")];

/** Every token is a text of its own. */
function wordDecoder(words: readonly string[]): IncrementalDecoder {
  return { push: (id) => words[id], pending: () => "" };
}

/** Index of the token that completes the first stop text, or −1. */
function firstStop(matcher: StopTextMatcher, ids: readonly number[]): number {
  return ids.findIndex((id) => matcher.push(id));
}

describe("StopTextMatcher", () => {
  it("finds a text that lies across tokens, at the token that completes it", () => {
    expect(firstStop(new StopTextMatcher(["\n\n"], byteDecoder()), encode("a\nb\n\nc"))).to.equal(4);
  });

  it("finds a text inside one token", () => {
    const words = ["Hello", " world</s", "top>", "x"];
    expect(firstStop(new StopTextMatcher(["</stop>", "world"], wordDecoder(words)), [0, 1, 2])).to.equal(1);
  });

  it("finds multi-byte characters whose bytes arrive one by one", () => {
    const ids = encode("naïve 🙂 fin");
    expect(firstStop(new StopTextMatcher(["🙂"], byteDecoder()), ids)).to.equal(encode("naïve 🙂").length - 1);
    expect(firstStop(new StopTextMatcher(["ï"], byteDecoder()), ids)).to.equal(encode("naï").length - 1);
  });

  it("is not fooled by a character that is not complete yet", () => {
    expect(firstStop(new StopTextMatcher(["a\uFFFD"], byteDecoder()), encode("aé"))).to.equal(-1);
  });

  it("finds exactly what a search in the whole decoded text finds", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "é", "語", "🙂", "\n"), { maxLength: 80 })
      .map((parts) => parts.join(""));
    const stop = fc
      .array(fc.constantFrom("a", "b", "é", "🙂"), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.array(stop, { minLength: 1, maxLength: 3 }), (whole, stops) => {
        const ids = encode(whole);
        const expected = ids.findIndex((_, i) => stops.some((s) => bytes(ids.slice(0, i + 1)).includes(s)));
        expect(firstStop(new StopTextMatcher(stops, byteDecoder()), ids)).to.equal(expected);
      }),
    );
  });

  it("looks at text that further tokens may still change", () => {
    const held = { push: () => "", pending: () => "end" };
    expect(new StopTextMatcher(["end"], held).push(1)).to.equal(true);
  });
});

describe("StopChecker", () => {
  const base = { maxTokens: 3, eosTokenIds: [9], createDecoder: byteDecoder };

  it("stops at the end-of-sequence token unless told to ignore it", () => {
    expect(new StopChecker(base).push(9)).to.equal("stop");
    expect(new StopChecker({ ...base, ignoreEos: true }).push(9)).to.equal(null);
    expect(new StopChecker({ ...base, ignoreEos: true, stopTokenIds: [9] }).push(9)).to.equal("stop");
  });

  it("lets length win over stop at the limit", () => {
    const checker = new StopChecker(base);
    expect([checker.push(1), checker.push(1), checker.push(9)]).to.deep.equal([null, null, "length"]);
  });
});
