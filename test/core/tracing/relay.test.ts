import { expect } from "chai";
import { ATTRIBUTE, defineErrors } from "../../../core/plugin.js";
import { RelayedSpans, RelayTracer, type SpanNews, type Tracer } from "../../../core/tracing/index.js";
import { type RecordedSpan, RecordingTracer } from "../../../testing/index.js";

/** A session of a run's tracer, and the tracer of its thread: what goes over is copied, as by a channel. */
async function session(
  work: (thread: RelayTracer, here: RelayedSpans) => Promise<unknown>,
  tracer: RecordingTracer = new RecordingTracer(),
): Promise<RecordedSpan> {
  await tracer.span({ kind: "session", name: "agent", root: true }, async () => {
    const here = new RelayedSpans(tracer);
    const thread = new RelayTracer((news: SpanNews) => here.take(structuredClone(news)), false);
    try {
      await work(thread, here);
    } finally {
      await here.close();
    }
  });
  return tracer.roots[0];
}

const shape = ({ start, children }: RecordedSpan): unknown => [start.name, ...children.map(shape)];
const phase = (name: string) => ({ kind: "phase", name }) as const;

describe("core/tracing: spans of a thread", () => {
  it("are nested here as they are there, inside the session", async () => {
    const root = await session((thread) =>
      Promise.all([
        thread.span(phase("a"), async () => {
          await thread.span(phase("a1"), () => new Promise(setImmediate));
          await thread.span(phase("a2"), async () => {});
        }),
        thread.span(phase("b"), () => thread.span(phase("b1"), async () => {})),
      ]),
    );
    expect(shape(root)).to.deep.equal(["agent", ["a", ["a1"], ["a2"]], ["b", ["b1"]]]);
    expect(root.children.every(({ ended }) => ended)).to.equal(true);
  });

  it("give back what their work gives, and keep its attributes and times", async () => {
    const before = Date.now();
    let given: unknown;
    const root = await session(async (thread) => {
      const attributes = { [ATTRIBUTE.tool]: "add" };
      given = await thread.span({ kind: "tool", name: "add", attributes }, async (span) => {
        span.set({ [ATTRIBUTE.outcome]: "ok", none: undefined, list: ["a"], bad: (() => {}) as never });
        return 7;
      });
    });
    expect(given).to.equal(7);
    const [tool] = root.children;
    expect(tool.attributes).to.deep.equal({ [ATTRIBUTE.tool]: "add", [ATTRIBUTE.outcome]: "ok", list: ["a"] });
    expect(tool.start.startedAt).to.be.at.least(before);
    expect(tool.endedAt).to.be.at.least(tool.start.startedAt as number);
  });

  it("fail as their work fails: by its code, or by its class", async () => {
    const errors = defineErrors({ VERL_X_LOST: { summary: "It is lost." } });
    const coded = errors.VERL_X_LOST({ what: "the way" });
    const root = await session(async (thread) => {
      for (const error of [coded, new RangeError("too far"), "a text"]) {
        const thrown = await thread.span(phase("x"), () => Promise.reject(error)).catch((e: unknown) => e);
        expect(thrown).to.equal(error);
      }
    });
    const [first, second, third] = root.children.map(({ error }) => error);
    expect(first).to.include({ code: "VERL_X_LOST", what: "the way" });
    expect(second).to.include({ name: "RangeError", message: "too far" });
    expect(third).to.include({ name: "string", message: "a text" });
  });

  it("are around what is asked of this side in them", async () => {
    const tracer = new RecordingTracer();
    const root = await session(async (thread, here) => {
      const ask = (name: string) => here.inside(thread.current, () => tracer.span(phase(name), async () => {}));
      await ask("outside");
      await thread.span(phase("turn"), async () => {
        await ask("inside");
        await new Promise(setImmediate);
        await ask("later");
      });
    }, tracer);
    expect(shape(root)).to.deep.equal(["agent", ["outside"], ["turn", ["inside"], ["later"]]]);
  });

  it("that are open when the thread is lost fail with it, the innermost first, before whoever waits goes on", async () => {
    const tracer = new RecordingTracer();
    const ended: string[] = [];
    const watched: Tracer = {
      ...{ wantsText: false, promptsPerWorker: null, finish: async () => {} },
      span: (start, work) => tracer.span(start, work).finally(() => void ended.push(start.name)),
    };
    const here = new RelayedSpans(watched);
    const thread = new RelayTracer((event) => here.take(event), false);
    const never = new Promise<never>(() => {});
    void thread.span(phase("outer"), () => thread.span(phase("inner"), () => never));
    const lost = new Error("the thread is gone");
    await here.close(lost);
    expect(ended).to.deep.equal(["inner", "outer"]);
    expect(tracer.roots[0].error).to.equal(lost);
    expect(tracer.roots[0].children[0].error).to.equal(lost);
    void thread.span(phase("late"), () => never);
    expect(tracer.roots, "nothing begins after the end").to.have.length(1);
  });

  it("reach a tracer that begins its spans later", async () => {
    const tracer = new RecordingTracer();
    const slow: Tracer = {
      ...{ wantsText: false, promptsPerWorker: null, finish: async () => {} },
      async span(start, work) {
        await new Promise(setImmediate);
        return tracer.span(start, work);
      },
    };
    const here = new RelayedSpans(slow);
    const thread = new RelayTracer((event) => here.take(event), false);
    await thread.span(phase("short"), async (span) => span.set({ said: 1 }));
    await here.close();
    expect(tracer.roots[0]).to.deep.include({ attributes: { said: 1 }, ended: true });
  });
});
