import { expect } from "chai";
import fc from "fast-check";
import { functionTool, ToolSet } from "../../../../core/agent/index.js";
import { TraceSample } from "../../../../core/agent/sessions/trace.js";
import { ATTRIBUTE } from "../../../../core/plugin.js";
import { type RecordedSpan, RecordingTracer, ScriptedClient } from "../../../../testing/index.js";
import { harness, loopOf, task, tokenizer } from "../harness.js";

const parameters = { type: "object", properties: { a: { type: "integer" } } };
const double = functionTool(({ a }) => String(2 * Number(a)), { name: "double", description: "Doubles.", parameters });
const call = (name: string) => `<tool_call>{"name": "${name}", "arguments": {"a": 21}}</tool_call>`;

/** Sessions of the tool agent over these turns. */
async function play(turns: readonly string[], tracer: RecordingTracer, uids: readonly string[] = ["u"]) {
  const asked = new Map<string, number>();
  const client = new ScriptedClient(({ requestId }) => {
    const turn = Math.min(turns.length - 1, asked.get(requestId) ?? 0);
    asked.set(requestId, turn + 1);
    return { tokenIds: [...tokenizer.encode(turns[turn]), 1], minWeightVersion: 7, maxWeightVersion: 7 };
  });
  const { manager, submit } = harness({
    rollout: { n: 2, prompt_length: 600, response_length: 600 },
    agent: { default_agent_loop: "tool_agent" },
    over: { client, tracer, tools: await ToolSet.of([double]) },
  });
  await submit(uids.map((uid, draw) => task(uid, { draw })));
  await manager.drain();
}

const shape = (span: RecordedSpan): unknown => [`${span.start.kind} ${span.start.name}`, ...span.children.map(shape)];
const everything = (spans: readonly RecordedSpan[]): RecordedSpan[] =>
  spans.flatMap((span) => [span, ...everything(span.children)]);

describe("core/agent: traces", () => {
  it("a session is a trace with its turns, calls and reward in it", async () => {
    const tracer = new RecordingTracer();
    await play([call("double"), "42"], tracer);
    expect(tracer.roots).to.have.length(2);
    for (const root of tracer.roots) {
      expect(shape(root)).to.deep.equal([
        "session tool_agent",
        ["generate generate"],
        ["tool double"],
        ["generate generate"],
        ["reward reward"],
      ]);
    }
    expect(everything(tracer.roots).every(({ ended }) => ended)).to.equal(true);
  });

  it("says whose they are and what they took", async () => {
    const tracer = new RecordingTracer();
    await play([call("double"), "42"], tracer);
    const [session] = tracer.roots;
    expect(session.attributes).to.deep.include({
      [ATTRIBUTE.step]: 1,
      [ATTRIBUTE.validate]: false,
      [ATTRIBUTE.sampleIndex]: 0,
      [ATTRIBUTE.rolloutN]: 0,
      [ATTRIBUTE.trajectory]: "u_0",
      [ATTRIBUTE.score]: 1,
      [ATTRIBUTE.finishReasons]: ["stop"],
    });
    const [first, tool, , reward] = session.children;
    expect(first.attributes).to.deep.include({
      [ATTRIBUTE.outputTokens]: tokenizer.encode(call("double")).length + 1,
      [ATTRIBUTE.weightVersion]: 7,
    });
    expect(tool.attributes).to.deep.include({ [ATTRIBUTE.tool]: "double", [ATTRIBUTE.outcome]: "ok" });
    expect(reward.attributes).to.deep.include({ [ATTRIBUTE.outcome]: "scored", [ATTRIBUTE.score]: 1 });
  });

  it("hold what the model wrote where texts are wanted, and nowhere else", async () => {
    const turns = [call("invented"), "the secret answer"];
    const silent = new RecordingTracer();
    await play(turns, silent);
    const told = (tracer: RecordingTracer) =>
      JSON.stringify(everything(tracer.roots).map(({ start, attributes }) => [start.name, attributes]));
    expect(told(silent)).to.not.match(/invented|secret|6\*7|there is no tool/);
    expect(shape(silent.roots[0])).to.deep.include(["tool unknown"]);
    const telling = new RecordingTracer(true);
    await play(turns, telling);
    for (const text of ["invented", "the secret answer", "6*7", "there is no tool"]) {
      expect(told(telling)).to.contain(text);
    }
  });

  it("show where a session failed", async () => {
    const tracer = new RecordingTracer();
    const error = new Error("lost its way");
    const lost = loopOf("lost", () => Promise.reject(error));
    const { manager, submit } = harness({
      agent: { default_agent_loop: "lost" },
      rollout: { n: 1 },
      loops: [lost],
      over: { tracer },
    });
    await submit([task("u")]);
    await manager.drain();
    expect(tracer.roots.map((span) => span.error)).to.deep.equal([error]);
  });

  it("are of some prompts alone where they are limited: all sessions of those", async () => {
    const tracer = new RecordingTracer(false, 1);
    const uids = ["a", "b", "c", "d", "e", "f"];
    await play(["42"], tracer, uids);
    const traced = tracer.roots
      .filter(({ start }) => start.traced)
      .map((span) => span.attributes[ATTRIBUTE.trajectory]);
    expect(tracer.roots).to.have.length(12);
    // One prompt for each of the two workers.
    expect(new Set(traced.map((id) => String(id).split("_")[0])).size).to.equal(2);
    expect(traced).to.have.length(4);
  });

  it("a worker's limit holds for a step, however its prompts come", () => {
    const uids = fc.uniqueArray(fc.uuid(), { maxLength: 40 });
    fc.assert(
      fc.property(
        uids,
        fc.nat({ max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat({ max: 40 }),
        (all, limit, n, cut) => {
          const workers = all.map((_, i) => i % n);
          const sample = new TraceSample(limit);
          const counts = Array.from({ length: n }, () => 0);
          for (const [from, to] of [
            [0, cut],
            [cut, all.length],
          ]) {
            const isTraced = sample.choose(all.slice(from, to), workers.slice(from, to), "train/1");
            for (let i = from; i < Math.min(to, all.length); i++) if (isTraced(all[i])) counts[workers[i]]++;
          }
          const shares = counts.map((_, w) => workers.filter((worker) => worker === w).length);
          expect(counts).to.deep.equal(shares.map((share) => Math.min(share, limit)));
        },
      ),
    );
  });
});
