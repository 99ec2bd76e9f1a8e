import { expect } from "chai";
import { ModeStack } from "../../../core/engine/mode-stack.js";
import { Serial } from "../../../core/engine/serial.js";

describe("core/engine mode stack", () => {
  it("keeps the innermost open mode whatever the order of closing", async () => {
    const modes = new ModeStack();
    const nothing = async () => {};
    const outer = modes.enter("train", nothing);
    const inner = modes.enter("eval", nothing);
    await outer[Symbol.asyncDispose]();
    expect(modes.current).to.equal("eval");
    await inner[Symbol.asyncDispose]();
    expect(modes.current).to.equal(null);
  });

  it("leaves a mode even when its exit fails, and runs the exit once", async () => {
    const modes = new ModeStack();
    let exits = 0;
    const mode = modes.enter("train", async () => {
      exits++;
      throw new Error("exit");
    });
    expect(
      await mode[Symbol.asyncDispose]().then(
        () => "ok",
        (e) => e.message,
      ),
    ).to.equal("exit");
    await mode[Symbol.asyncDispose]();
    expect([exits, modes.current]).to.deep.equal([1, null]);
  });
});

describe("core/engine serial", () => {
  it("goes on after a task that failed", async () => {
    const serial = new Serial();
    const order: number[] = [];
    const failed = serial.run(async () => {
      order.push(1);
      throw new Error("first");
    });
    const second = serial.run(async () => order.push(2));
    expect(await failed.catch((e) => e.message)).to.equal("first");
    await second;
    expect(order).to.deep.equal([1, 2]);
  });
});
