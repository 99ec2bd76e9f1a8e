import { expect } from "chai";
import { LateTracer } from "../../../core/tracing/index.js";
import { RecordingTracer } from "../../../testing/index.js";

describe("late tracer", () => {
  it("tells the tracer that it is given from then on, and leaves its end to others", async () => {
    const late = new LateTracer();
    const given = new RecordingTracer(true, 3);
    expect(await late.span({ kind: "score", name: "before" }, async () => 1)).to.equal(1);
    expect([late.wantsText, late.promptsPerWorker]).to.deep.equal([false, null]);
    late.tell(given);
    expect(await late.span({ kind: "score", name: "after" }, async () => 2)).to.equal(2);
    expect([late.wantsText, late.promptsPerWorker]).to.deep.equal([true, 3]);
    await late.finish();
    expect(given.roots.map(({ start }) => start.name)).to.deep.equal(["after"]);
    expect(given.finished).to.equal(0);
  });
});
