import { expect } from "chai";
import { InProcessQueue } from "../../../core/transfer/index.js";
import { FaultyQueue, runConformance, transferQueueConformance } from "../../../testing/index.js";
import { rejection } from "../../core/transfer/support.js";

describe("testing/transfer/faulty-queue", () => {
  runConformance(
    "without faults",
    transferQueueConformance({ make: async (options) => new FaultyQueue(new InProcessQueue(options)) }),
    { describe, it },
  );

  it("fails the chosen calls that often, before they take effect", async () => {
    const queue = new FaultyQueue(new InProcessQueue());
    const lost = new Error("connection lost");
    queue.inject({ call: "put", error: lost, times: 1, matches: (_partition, key) => key === "a" });
    await queue.put("train", "b", { tag: {} });
    expect(await rejection(queue.put("train", "a", { tag: {} }))).to.equal(lost);
    expect(await queue.list("train")).to.have.length(1);
    await queue.put("train", "a", { tag: {} });
    expect(queue.calls.put).to.equal(3);
  });

  it("loses an answer after the call took effect", async () => {
    const queue = new FaultyQueue(new InProcessQueue()).inject({
      call: "put",
      error: new Error("lost"),
      when: "after",
    });
    expect(await rejection(queue.put("train", "a", { tag: { n: 1 } }))).to.be.an("error");
    expect(await queue.list("train")).to.deep.equal([{ key: "a", tag: { n: 1 } }]);
  });

  it("delays calls until their signal gives up", async () => {
    const queue = new FaultyQueue(new InProcessQueue()).inject({ call: "list", delayMs: 3_600_000 });
    const controller = new AbortController();
    const reason = new Error("enough");
    const listing = queue.list("train", { signal: controller.signal });
    controller.abort(reason);
    expect(await rejection(listing)).to.equal(reason);
  });
});
