import { expect } from "chai";
import { type Tracker, VerlError } from "../../../core/plugin.js";
import { checkTrackers, createTrackerSet } from "../../../core/tracking/index.js";
import {
  fakeRunInfo,
  fakeTrajectory,
  MemoryTracker,
  runConformance,
  trackerConformance,
} from "../../../testing/index.js";

const run = fakeRunInfo({ outputDir: "/nowhere" });

class Failing extends MemoryTracker {
  constructor(
    private readonly at: keyof Tracker,
    private readonly error = new Error("disk full"),
  ) {
    super();
  }
  private failAt(call: keyof Tracker) {
    if (call === this.at) throw this.error;
  }
  override start(...args: Parameters<MemoryTracker["start"]>) {
    this.failAt("start");
    super.start(...args);
  }
  override log(...args: Parameters<MemoryTracker["log"]>) {
    this.failAt("log");
    super.log(...args);
  }
  override progress(...args: Parameters<MemoryTracker["progress"]>) {
    super.progress(...args);
    this.failAt("progress");
  }
  override finish(...args: Parameters<MemoryTracker["finish"]>) {
    super.finish(...args);
    this.failAt("finish");
  }
}

describe("tracker set", () => {
  it("tells every tracker everything", async () => {
    const [a, b] = [new MemoryTracker(), new MemoryTracker()];
    const set = createTrackerSet([a, b]);
    await set.start(run);
    set.progress({ step: 1, phase: "sampling" });
    await set.logTrajectories([fakeTrajectory()], 1);
    await set.log({ x: 1 }, 1);
    await set.finish({ exitCode: 0 });
    for (const tracker of [a, b]) {
      expect(tracker.runs).to.deep.equal([run]);
      expect(tracker.updates).to.deep.equal([{ step: 1, phase: "sampling" }]);
      expect(tracker.trajectories).to.deep.equal([fakeTrajectory()]);
      expect(tracker.series("x")).to.deep.equal([1]);
      expect(tracker.outcomes).to.deep.equal([{ exitCode: 0 }]);
    }
  });

  it("begins when all have started, and not where one refuses", async () => {
    const order: string[] = [];
    const noting = (name: string): Tracker => ({
      name,
      start: () => void order.push(`${name} starts`),
      begin: () => void order.push(`${name} begins`),
      log() {},
      finish() {},
    });
    await createTrackerSet([noting("a"), noting("b")]).start(run);
    expect(order).to.deep.equal(["a starts", "b starts", "a begins", "b begins"]);
    const first = new MemoryTracker();
    await createTrackerSet([first, new Failing("start")])
      .start(run)
      .catch(() => {});
    expect([first.begun, first.outcomes.length]).to.deep.equal([0, 1]);
  });

  it("asks all whether they could start, and tells of every one that could not", async () => {
    const last = new MemoryTracker();
    const refusing = (name: string, error: Error): Tracker =>
      Object.assign(new MemoryTracker(), { name, check: () => Promise.reject(error) });
    const own = new VerlError("VERL_OTHER", { what: "log in first" });
    const error = await checkTrackers([refusing("a", own), refusing("b", new Error("no disk")), last], run).catch(
      (e: unknown) => e as VerlError,
    );
    expect(error).to.deep.include({ code: "VERL_OTHER", what: "log in first" });
    expect(error?.also?.join()).to.contain('"b"').and.contain("no disk");
    expect(last.checked).to.deep.equal([run]);
  });

  it("finishes once, however often it is asked", async () => {
    const tracker = new MemoryTracker();
    const set = createTrackerSet([tracker]);
    await set.start(run);
    await Promise.all([set.finish({ exitCode: 1 }), set.finish({ exitCode: 0 })]);
    expect(tracker.outcomes).to.deep.equal([{ exitCode: 1 }]);
  });

  it("finishes the others when one fails to, and names the one", async () => {
    const last = new MemoryTracker();
    const set = createTrackerSet([new Failing("finish"), last]);
    await set.start(run);
    const error = await set.finish({ exitCode: 0 }).catch((e: unknown) => e);
    expect(String(error)).to.contain("VERL_TRACKING_FAILED").and.contain('"memory"').and.contain("disk full");
    expect(last.outcomes).to.have.length(1);
  });

  it("finishes what had started when a later tracker cannot start", async () => {
    const [first, last] = [new MemoryTracker(), new MemoryTracker()];
    const set = createTrackerSet([first, new Failing("start"), last]);
    const error = await set.start(run).catch((e: unknown) => e);
    expect(String(error)).to.contain("failed while starting");
    await set.finish({ exitCode: 1 });
    expect([first.outcomes.length, last.outcomes.length]).to.deep.equal([1, 0]);
  });

  it("passes on what a tracker says of its own start with a code", async () => {
    const own = new VerlError("VERL_OTHER", { what: "log in first" });
    const tracker = Object.assign(new MemoryTracker(), { start: () => Promise.reject(own) });
    expect(
      await createTrackerSet([tracker])
        .start(run)
        .catch((e: unknown) => e),
    ).to.equal(own);
  });

  it("ends the run when a tracker cannot log", async () => {
    const set = createTrackerSet([new Failing("log")]);
    expect(String(await set.log({ x: 1 }, 3).catch((e: unknown) => e))).to.contain("logging step 3");
  });

  it("does not let a progress line end the run", () => {
    const tracker = new Failing("progress");
    const set = createTrackerSet([tracker]);
    set.progress({ step: 1, phase: "sampling" });
    set.progress({ step: 1, phase: "sampling" });
    expect(tracker.updates).to.have.length(1);
  });
});

runConformance(
  "memory tracker",
  trackerConformance({ factory: { name: "memory", create: () => new MemoryTracker() } }),
  { describe, it },
);
