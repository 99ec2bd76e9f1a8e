import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { HookDriver, type HookSet } from "../../../core/host/index.js";
import { OwnerScope } from "../../../core/host/registry/owner-scope.js";
import { rejection } from "./support/hosts.js";

interface Contexts {
  onBegin: { readonly note: (line: string) => void };
  onEnd: { readonly step: number };
}

const owner = (name: string) => ({ name, version: "1.0.0" });

function driverOf(sets: readonly HookSet<Contexts>[], deadlineMs = 1000): HookDriver<Contexts> {
  return new HookDriver<Contexts>({
    sets: sets.map((hooks) => ({ hooks, owner: owner(`plugin-${hooks.name}`) })),
    deadlineMs,
    scope: new OwnerScope(),
  });
}

describe("hook driver", () => {
  it("runs pre of every set, the trainer's work, then post of every set, each awaited", async () => {
    const noting = (name: string): HookSet<Contexts> => ({
      name,
      onBegin: {
        pre: async ({ note }) => {
          await sleep(1);
          note(`${name} pre`);
        },
        post: ({ note }) => note(`${name} post`),
      },
    });
    const lines: string[] = [];
    const note = (line: string) => void lines.push(line);
    await driverOf([noting("a"), noting("b")]).run("onBegin", { note }, async () => note("trainer"));
    expect(lines).to.deep.equal(["a pre", "b pre", "trainer", "a post", "b post"]);
  });

  it("takes a bare function as post, and keeps its `this`", async () => {
    const seen: unknown[] = [];
    const set = {
      name: "counter",
      count: 0,
      onEnd(this: { count: number }, { step }: { step: number }) {
        this.count += step;
        seen.push(this.count);
      },
    };
    const driver = driverOf([set as unknown as HookSet<Contexts>]);
    await driver.run("onEnd", { step: 2 });
    await driver.run("onEnd", { step: 3 });
    expect(seen).to.deep.equal([2, 5]);
  });

  it("fails by name where a hook throws null", async () => {
    const bad: HookSet<Contexts> = { name: "bad", onEnd: () => Promise.reject(null) };
    const error = await rejection(driverOf([bad]).run("onEnd", { step: 1 }));
    expect([error.code, error.why]).to.deep.equal(["VERL_HOOK_FAILED", "null"]);
  });

  it("stops at the first error, which carries plugin and hook", async () => {
    let reached = false;
    const bad: HookSet<Contexts> = {
      name: "bad",
      onBegin: {
        pre: () => {
          throw new RangeError("too far");
        },
      },
    };
    const work = driverOf([bad]).run("onBegin", { note: () => {} }, () => {
      reached = true;
    });
    const error = await rejection(work);
    expect(error.code).to.equal("VERL_HOOK_FAILED");
    expect(error.message)
      .to.include("plugin-bad@1.0.0")
      .and.to.include("onBegin (pre)")
      .and.to.include("too far")
      .and.to.include("hook-driver.test");
    expect(error.cause).to.be.instanceOf(RangeError);
    expect(reached).to.equal(false);
  });

  it("passes an error of the trainer's own work on as it is", async () => {
    const fault = new Error("sync failed");
    const work = driverOf([]).run("onBegin", { note: () => {} }, () => Promise.reject(fault));
    expect(await work.catch((error: unknown) => error)).to.equal(fault);
  });

  it("ends at a deadline, names the hook as pending, and never calls that set again", async () => {
    let calls = 0;
    const stuck: HookSet<Contexts> = {
      name: "stuck",
      deadlineMs: 10,
      onEnd: () => {
        calls++;
        return new Promise(() => {});
      },
    };
    const driver = driverOf([stuck]);
    const error = await rejection(driver.run("onEnd", { step: 1 }));
    expect(error.code).to.equal("VERL_HOOK_TIMEOUT");
    expect(error.what).to.include("plugin-stuck@1.0.0").and.to.include("0.01 s");
    expect(driver.pending.map((p) => [p.owner, p.hook, p.slot])).to.deep.equal([
      ["plugin-stuck@1.0.0", "onEnd", "post"],
    ]);
    await driver.run("onEnd", { step: 2 });
    expect(calls).to.equal(1);
  });

  it("has nothing pending once hooks have settled", async () => {
    const during: string[][] = [];
    const driver: HookDriver<Contexts> = driverOf([
      { name: "a", onEnd: () => void during.push(driver.pending.map((p) => p.set)) },
    ]);
    await driver.run("onEnd", { step: 1 });
    expect(during).to.deep.equal([["a"]]);
    expect(driver.pending).to.deep.equal([]);
  });
});
