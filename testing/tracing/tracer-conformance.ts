import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ATTRIBUTE, type SpanKind, type Tracer, type TracerFactory, type TracerOptions } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

export interface TracerUnderTest {
  readonly factory: TracerFactory;
  readonly options?: Partial<TracerOptions>;
}

const KINDS: readonly SpanKind[] = ["step", "phase", "session", "generate", "tool", "reward", "score", "judge", "own"];

/** What every tracer must do. Run it with `runConformance`. */
export function tracerConformance({ factory, options }: TracerUnderTest): ConformanceCase[] {
  async function withTracer(work: (tracer: Tracer) => Promise<void>): Promise<void> {
    const outputDir = await mkdtemp(path.join(tmpdir(), "verl-tracer-"));
    try {
      const tracer = await factory.create({ ...tracerOptions(outputDir), ...options });
      try {
        await work(tracer);
      } finally {
        await tracer.finish();
      }
    } finally {
      await rm(outputDir, { recursive: true });
    }
  }

  return [
    {
      name: "gives back what the work gives, for spans of every kind, one in another",
      run: () =>
        withTracer(async (tracer) => {
          for (const kind of KINDS) {
            const value = await tracer.span({ kind, name: "outer", root: true }, () =>
              tracer.span({ kind, name: "inner", attributes: { [ATTRIBUTE.step]: 1 } }, async (span) => {
                span.set({ [ATTRIBUTE.score]: 0.5, [ATTRIBUTE.finishReasons]: ["stop"], "x.none": undefined });
                return kind;
              }),
            );
            assert.equal(value, kind);
          }
        }),
    },
    {
      name: "throws what the work throws",
      run: () =>
        withTracer(async (tracer) => {
          const error = new Error("of the work");
          for (const kind of KINDS) {
            await assert.rejects(
              tracer.span({ kind, name: "x" }, () => Promise.reject(error)),
              error,
            );
          }
        }),
    },
    {
      name: "bears values that are no numbers, and attributes set when the span has ended",
      run: () =>
        withTracer(async (tracer) => {
          const late = await tracer.span({ kind: "reward", name: "x" }, async (span) => {
            span.set({ [ATTRIBUTE.score]: Number.NaN, [ATTRIBUTE.outcome]: "" });
            return span;
          });
          late.set({ [ATTRIBUTE.score]: 1 });
        }),
    },
    {
      name: "takes a span that is told of when it has long begun, or ended",
      run: () =>
        withTracer(async (tracer) => {
          const startedAt = Date.now() - 60_000;
          for (const time of [startedAt + 1000.5, undefined]) {
            const value = await tracer.span({ kind: "tool", name: "x", startedAt }, async (span) => {
              if (time !== undefined) span.endAt?.(time);
              return 7;
            });
            assert.equal(value, 7);
          }
        }),
    },
    {
      name: "takes many spans at the same time, traced or not",
      run: () =>
        withTracer(async (tracer) => {
          const values = await Promise.all(
            Array.from({ length: 200 }, (_, i) =>
              tracer.span({ kind: "session", name: `loop ${i % 3}`, root: true, traced: i % 2 === 0 }, async () => {
                await new Promise(setImmediate);
                return tracer.span({ kind: "tool", name: `tool ${i}` }, async () => i);
              }),
            ),
          );
          assert.deepEqual(
            values,
            values.map((_, i) => i),
          );
        }),
    },
    {
      name: "has an end, after which the next run's can begin",
      async run() {
        for (let i = 0; i < 2; i++) await withTracer(async () => {});
      },
    },
  ];
}

/** What a tracer of a run in this folder is made from; nothing is listened to or sent. */
export function tracerOptions(outputDir: string): TracerOptions {
  return {
    outputDir,
    resumed: false,
    projectName: "tests",
    experimentName: "conformance",
    trace: { token2text: false, maxSamplesPerStepPerWorker: null, endpoint: null, headers: {} },
    prometheus: { port: 0, file: null, servedModelName: null },
    cwd: outputDir,
    env: {},
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  };
}
