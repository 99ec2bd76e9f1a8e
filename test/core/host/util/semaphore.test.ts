import { expect } from "chai";
import { Semaphore } from "../../../../core/host/index.js";

describe("host/semaphore", () => {
  it("lets holders in in the order of arrival", async () => {
    const semaphore = new Semaphore(1);
    const order: string[] = [];
    const first = await semaphore.acquire();
    const rest = ["b", "c"].map(async (name) => {
      const release = await semaphore.acquire();
      order.push(name);
      release();
    });
    expect(semaphore.waiting).to.equal(2);
    first();
    await Promise.all(rest);
    expect(order).to.deep.equal(["b", "c"]);
    expect(semaphore.free).to.equal(1);
  });

  it("gives a permit back once, however often it is released", async () => {
    const semaphore = new Semaphore(2);
    const release = await semaphore.acquire();
    release();
    release();
    expect(semaphore.free).to.equal(2);
  });

  it("forgets a waiter that aborts", async () => {
    const semaphore = new Semaphore(1);
    const release = await semaphore.acquire();
    const controller = new AbortController();
    const waiting = semaphore.acquire(controller.signal).catch((e: unknown) => e);
    const reason = new Error("stop");
    controller.abort(reason);
    expect(await waiting).to.equal(reason);
    release();
    expect(semaphore.free).to.equal(1);
  });
});
