import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  type Awaitable,
  MEDIA_KINDS,
  type MediaKind,
  type MediaProcessor,
  type MediaRef,
  MediaStore,
  RunMedia,
  type Tokenizer,
} from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

export interface ProcessorUnderTest {
  make(): Awaitable<MediaProcessor>;
  /** The model's. */
  readonly tokenizer: Tokenizer;
  /** Media that the model understands, two different ones at least. */
  readonly samples: readonly { readonly kind: MediaKind; readonly bytes: Uint8Array }[];
  /** How often the same is asked again; default 3. */
  readonly repetitions?: number;
}

/** What every processor must do. Run it with `runConformance`. */
export function processorConformance(subject: ProcessorUnderTest): ConformanceCase[] {
  const { tokenizer, samples, repetitions = 3 } = subject;

  async function withProcessor(
    body: (processor: MediaProcessor, media: readonly { ref: MediaRef; bytes: Uint8Array }[]) => Promise<void>,
  ): Promise<void> {
    const processor = await subject.make();
    const store = new MediaStore();
    const media = await Promise.all(
      samples.map(async ({ kind, bytes }) => ({ ref: await store.take(kind, { bytes }), bytes })),
    );
    try {
      await body(processor, media);
    } finally {
      await processor.dispose?.();
    }
  }

  return [
    {
      name: "names a token of the tokenizer for each kind that it takes",
      run: () =>
        withProcessor(async (processor) => {
          const kinds = MEDIA_KINDS.filter((kind) => processor.placeholders[kind] !== undefined);
          assert.ok(kinds.length > 0, "at least one kind");
          for (const kind of kinds) {
            assert.notEqual(tokenizer.tokenId(processor.placeholders[kind] as string), null, kind);
          }
          for (const { kind } of samples) assert.ok(kinds.includes(kind), `a sample of the kind ${kind}`);
          // Kinds with one placeholder could not be told apart.
          new RunMedia({ store: new MediaStore(), processor, tokenizer, model: "the suite" });
        }),
    },
    {
      name: "gives ids of the vocabulary, one at least",
      run: () =>
        withProcessor(async (processor, media) => {
          for (const { ref, bytes } of media) {
            const ids = await processor.tokens(ref, bytes);
            assert.ok(ids.length > 0, "a token");
            for (const id of ids) assert.ok(Number.isInteger(id) && id >= 0 && id < tokenizer.vocabSize, `id ${id}`);
          }
        }),
    },
    {
      name: "gives arrays that fill their shapes with finite numbers",
      run: () =>
        withProcessor(async (processor, media) => {
          for (const { ref, bytes } of media) {
            const inputs = Object.entries(await processor.inputs(ref, bytes));
            assert.ok(inputs.length > 0, "an input");
            for (const [name, { shape, data }] of inputs) {
              const size = shape.reduce((n, d) => n * d, 1);
              assert.equal(data.length, size, `${name} has ${data.length} numbers for the shape [${shape}]`);
              assert.ok(data.every(Number.isFinite), `${name} is finite`);
            }
          }
        }),
    },
    {
      name: "gives the same for the same medium, however often it is asked and by whichever instance",
      run: () =>
        withProcessor(async (first, media) => {
          await withProcessor(async (second) => {
            for (const { ref, bytes } of media) {
              const [ids, inputs] = [await first.tokens(ref, bytes), await first.inputs(ref, bytes)];
              for (let i = 0; i < repetitions; i++) {
                const processor = i % 2 === 0 ? second : first;
                assert.deepEqual([...(await processor.tokens(ref, bytes))], [...ids]);
                assert.deepEqual(await processor.inputs(ref, bytes), inputs);
              }
            }
          });
        }),
    },
    {
      name: "tells different media apart",
      run: () =>
        withProcessor(async (processor, media) => {
          const seen = await Promise.all(media.map(({ ref, bytes }) => processor.inputs(ref, bytes)));
          const distinct = new Set(seen.map((inputs) => digest(inputs)));
          assert.equal(distinct.size, new Set(media.map(({ ref }) => ref.id)).size);
        }),
    },
    {
      name: "leaves the bytes as they are",
      run: () =>
        withProcessor(async (processor, media) => {
          for (const { ref, bytes } of media) {
            const before = Uint8Array.from(bytes);
            await processor.tokens(ref, bytes);
            await processor.inputs(ref, bytes);
            assert.deepEqual(Uint8Array.from(bytes), before);
          }
        }),
    },
    {
      name: "refuses bytes that end too early",
      run: () =>
        withProcessor(async (processor, media) => {
          for (const { ref, bytes } of media) {
            const cut = bytes.subarray(0, Math.ceil(bytes.length / 2));
            await assert.rejects(async () => processor.inputs({ ...ref, byteLength: cut.length }, cut));
          }
        }),
    },
    {
      name: "gives positions for every token of a sequence, if it gives any",
      run: () =>
        withProcessor(async (processor, media) => {
          if (!processor.positions) return;
          const text = tokenizer.encode("a", { addSpecialTokens: false });
          const ids = [...text];
          const placed = [];
          for (const { ref, bytes } of media) {
            const own = await processor.tokens(ref, bytes);
            const inputs = await processor.inputs(ref, bytes);
            placed.push({ ...ref, offset: ids.length, length: own.length, inputs });
            ids.push(...own, ...text);
          }
          const positions = processor.positions({ ids, media: placed });
          assert.ok(positions.length > 0 && positions.length % ids.length === 0, "a whole number of axes");
          assert.ok(positions.every((position) => position >= 0));
        }),
    },
  ];
}

const digest = (inputs: Awaited<ReturnType<MediaProcessor["inputs"]>>): string => {
  const hash = createHash("sha256");
  for (const name of Object.keys(inputs).sort()) {
    const { shape, data } = inputs[name];
    hash.update(`${name} ${shape.join(",")}`).update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return hash.digest("hex");
};
