import { expect } from "chai";
import { HostContainer, tokenOf } from "../../../../core/host/index.js";
import { Bench } from "../support/hosts.js";

describe("container", () => {
  const bench = new Bench();
  afterEach(() => bench.clean());

  it("holds every registry of its host under the kind's token", async () => {
    const host = await bench.host(bench.project(), "");
    expect(host.container.get(Symbol.for("verl.platform"))).to.equal(host.registries.platforms);
    expect(host.container.get(tokenOf("hooks"))).to.equal(host.registries.hooks);
  });

  it("has a scope of its own for every run", async () => {
    const host = await bench.host(bench.project(), "");
    const [one, other] = [await host.services(), await host.services()];
    one.container.set(tokenOf("mine"), 1);
    expect(one.container.get(tokenOf("platform.current"))).to.equal(one.platform);
    expect(one.container.get(tokenOf("engine"))).to.equal(host.registries.engines);
    expect(other.container.has(tokenOf("mine"))).to.equal(false);
  });

  it("gives a child what its parent holds, and keeps the child's own from parent and siblings", () => {
    const root = HostContainer.root().set(tokenOf("a"), 1);
    const [run, other] = [root.child().set(tokenOf("b"), 2), root.child()];
    expect(run.get(tokenOf("a"))).to.equal(1);
    expect(run.get(tokenOf("b"))).to.equal(2);
    expect([root.has(tokenOf("b")), other.has(tokenOf("b"))]).to.deep.equal([false, false]);
  });

  it("awaits a factory once and keeps the instance", async () => {
    const scope = HostContainer.root();
    const made = await scope.provide(tokenOf("engine.actor"), async () => ({ id: 1 }));
    expect(scope.get(tokenOf("engine.actor"))).to.equal(made);
  });

  it("shares nothing between two roots", () => {
    HostContainer.root().set(tokenOf("only-here"), 1);
    expect(HostContainer.root().has(tokenOf("only-here"))).to.equal(false);
  });
});
