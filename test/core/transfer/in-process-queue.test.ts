import { expect } from "chai";
import { InProcessQueue, inProcessQueueFactory } from "../../../core/transfer/index.js";
import { runConformance, transferQueueConformance } from "../../../testing/index.js";
import { codedRejection } from "./support.js";

const ids = (length: number) => ({ fields: { ids: new Int32Array(length) } });

describe("core/transfer/in-process-queue", () => {
  runConformance(
    "as a TransferQueue",
    transferQueueConformance({ make: (options) => inProcessQueueFactory.create({ ...options, extra: {} }) }),
    { describe, it },
  );

  it("reports a put that found no room by its deadline, with what takes the room", async () => {
    const queue = new InProcessQueue({ capacityBytes: 1000, putDeadlineMs: 5 });
    await queue.put("train", "a_0_0", ids(200));
    const error = await codedRejection("VERL_QUEUE_FULL", queue.put("train", "b_0_0", ids(200)));
    expect(error.why).to.include("1 keys in partition train");
  });

  it("lets waiting puts land in the order in which they came, a small one not before a large one", async () => {
    const queue = new InProcessQueue({ capacityBytes: 1000 });
    await queue.put("train", "a_0_0", ids(200));
    const landed: string[] = [];
    const waits = [
      queue.put("train", "b_0_0", ids(200)).then(() => landed.push("b")),
      queue.put("train", "c_0_0", ids(1)).then(() => landed.push("c")),
    ];
    expect(await queue.list("train")).to.have.length(1);
    await queue.clear("train", ["a_0_0"]);
    await Promise.all(waits);
    expect(landed).to.deep.equal(["b", "c"]);
  });

  it("makes room for the next put when a waiting one is given up", async () => {
    const queue = new InProcessQueue({ capacityBytes: 1000 });
    await queue.put("train", "a_0_0", ids(100));
    const controller = new AbortController();
    const large = queue.put("train", "b_0_0", ids(200), { signal: controller.signal });
    const small = queue.put("train", "c_0_0", ids(10));
    controller.abort(new Error("enough"));
    await Promise.allSettled([large, small]);
    expect((await queue.list("train")).map((entry) => entry.key)).to.deep.equal(["a_0_0", "c_0_0"]);
  });

  it("refuses a waiting put whose attempt was replaced meanwhile", async () => {
    const queue = new InProcessQueue({ capacityBytes: 1000 });
    await queue.put("train", "a", { tag: {} }, { attempt: 1 });
    await queue.put("train", "z_0_0", ids(200));
    const waiting = codedRejection("VERL_QUEUE_STALE_ATTEMPT", queue.put("train", "a_0_0", ids(200), { attempt: 1 }));
    await queue.put("train", "a", { tag: {} }, { attempt: 2 });
    await queue.clear("train", ["z_0_0"]);
    await waiting;
  });

  it("counts bytes of what it holds, whatever was replaced and cleared", async () => {
    const queue = new InProcessQueue();
    await queue.put("train", "a_0_0", ids(100));
    const once = queue.usedBytes;
    await queue.put("train", "a_0_0", ids(100));
    expect(queue.usedBytes).to.equal(once);
    await queue.put("train", "a_0_0", ids(50));
    expect(queue.usedBytes).to.equal(once - 200);
    await queue.restore(await queue.snapshot());
    expect(queue.usedBytes).to.equal(once - 200);
    await queue.clear("train", ["a_0_0"]);
    expect(queue.usedBytes).to.equal(0);
  });

  it("refuses values that are no data, and names the place", async () => {
    const queue = new InProcessQueue();
    const fields = { extra: { list: [1, new Date(0)] } } as never;
    const error = await codedRejection("VERL_QUEUE_BAD_VALUE", queue.put("train", "a_0_0", { fields }));
    expect(error.what).to.include("Date");
    expect(error.where).to.include("a_0_0, field extra.list[1]");
  });

  it("hands out tags that nobody can change", async () => {
    const queue = new InProcessQueue();
    const tag = { extra: { n: 1 } };
    await queue.put("train", "a", { tag });
    tag.extra.n = 2;
    const [entry] = await queue.list("train");
    expect(entry.tag).to.deep.equal({ extra: { n: 1 } });
    expect(() => Object.assign(entry.tag.extra as object, { n: 3 })).to.throw(TypeError);
  });

  it("refuses a snapshot of another version or one too large", async () => {
    const queue = new InProcessQueue({ capacityBytes: 100 });
    await codedRejection("VERL_QUEUE_BAD_SNAPSHOT", queue.restore({ version: 2, partitions: [] } as never));
    const entries = [{ key: "a_0_0", tag: {}, ...ids(100) }];
    const large = queue.restore({ version: 1, partitions: [{ name: "train", entries }] });
    await codedRejection("VERL_QUEUE_BAD_SNAPSHOT", large);
  });
});
