import { expect } from "chai";
import fc from "fast-check";
import { KINDS, KvCache, kvCacheBytes } from "../../../../engines/onnx/rollout/kv-cache.js";

const layer = (window: number | null) => ({ window, rope: null, attentionScale: 1 });
const shapeOf = (...windows: (number | null)[]) => ({ layers: windows.map(layer), numKvHeads: 2, headDim: 3 });

/** What a layer has of a token: [kvHeads, width, headDim] for tokens that are numbers. */
function rowsOf(tokens: readonly number[], width = tokens.length): Float32Array {
  return Float32Array.from({ length: 2 * width * 3 }, (_, i) => {
    const [head, token, column] = [Math.floor(i / (3 * width)), Math.floor(i / 3) % width, i % 3];
    return token < tokens.length ? 1000 * head + 10 * tokens[token] + column : -1;
  });
}

/** Tokens that lie in a slot, by the first head's first column, in all heads and columns alike. */
function tokensIn(cache: KvCache, index: number, slot: number): number[] {
  const { rows } = cache.layouts[index];
  const count = cache.layouts[index].filled(cache.lengths[slot]);
  const of = (kind: (typeof KINDS)[number]) => {
    const all = cache.view(index, kind, slot, 1);
    return [0, 1].map((head) => [...all.subarray(head * rows * 3, (head * rows + count) * 3)]);
  };
  const tokens = of("key")[0].flatMap((x, i) => (i % 3 === 0 ? [x / 10] : []));
  for (const kind of KINDS) expect(of(kind).flat()).to.deep.equal([...rowsOf(tokens)]);
  return tokens;
}

/** Sequences of tokens 0, 1, 2, … in pieces, some with padding behind. */
function append(cache: KvCache, slot: number, count: number, padding = 0): void {
  const tokens = Array.from({ length: count }, (_, i) => cache.lengths[slot] + i);
  for (let index = 0; index < cache.layouts.length; index++) {
    for (const kind of KINDS) cache.append({ layer: index, kind, slot }, rowsOf(tokens, count + padding), count);
  }
  cache.lengths[slot] += count;
}

const LENGTH = 400;
const windows = fc.array(fc.option(fc.integer({ min: 1, max: LENGTH })), { minLength: 1, maxLength: 3 });
const pieces = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 12 });

describe("engines/onnx/rollout key-value cache", () => {
  it("holds the latest tokens of every layer, a window at least, wherever pieces end", () => {
    fc.assert(
      fc.property(windows, pieces, fc.integer({ min: 0, max: 3 }), (windows, pieces, padding) => {
        const cache = new KvCache(shapeOf(...windows), 2, LENGTH);
        for (const piece of pieces) {
          if (cache.lengths[1] + piece > LENGTH) break;
          append(cache, 1, piece, padding);
          const length = cache.lengths[1];
          windows.forEach((window, index) => {
            const tokens = tokensIn(cache, index, 1);
            expect(tokens.length).to.be.at.least(Math.min(length, window ?? length));
            expect(tokens).to.deep.equal(tokens.map((_, i) => length - tokens.length + i));
          });
        }
      }),
      { numRuns: 30 },
    );
  });

  it("copies what a slot held when its sequence was shorter, as long as it keeps it", () => {
    const lengths = fc.tuple(fc.integer({ min: 1, max: LENGTH }), fc.integer({ min: 0, max: 80 }));
    fc.assert(
      fc.property(windows, lengths, (windows, [prompt, more]) => {
        const cache = new KvCache(shapeOf(...windows), 3, LENGTH);
        append(cache, 0, prompt);
        append(cache, 2, prompt);
        for (let i = 0; i < more && cache.lengths[0] < LENGTH; i++) append(cache, 0, 1);
        const lost = cache.layouts.some((layout) => layout.dropped(cache.lengths[0]) > layout.dropped(prompt));
        expect(cache.keeps(0, prompt)).to.equal(!lost);
        expect(cache.keeps(2, prompt + 1)).to.equal(false);
        if (lost) return;
        cache.copy(0, 1, prompt);
        windows.forEach((_, index) => {
          expect(tokensIn(cache, index, 1)).to.deep.equal(tokensIn(cache, index, 2));
        });
      }),
      { numRuns: 50 },
    );
  });

  it("takes the memory of a window and little more where layers have one", () => {
    const bytes = (window: number | null, maxLength: number) => kvCacheBytes(shapeOf(window), 4, maxLength);
    const token = 2 * 4 * 2 * 3 * 4;
    expect(bytes(null, 32768)).to.equal(32768 * token);
    expect(bytes(512, 32768)).to.equal((512 + 63) * token);
    expect(bytes(512, 100)).to.equal(100 * token);
    expect(kvCacheBytes(shapeOf(512, null, 4096), 4, 32768)).to.equal((575 + 32768 + 4159) * token);
  });
});
