import { expect } from "chai";
import { stabilityText } from "../../../../core/host/index.js";
import { RegistrySet } from "../../../../core/host/registry/registry.js";
import { PluginTransaction } from "../../../../core/host/registry/transaction.js";
import { KINDS } from "../../../../core/index.js";
import { HOOK_NAMES, HOOK_STABILITY } from "../../../../core/trainer/index.js";
import { Bench } from "../support/hosts.js";

describe("core/host/registry/stability", () => {
  const bench = new Bench();
  afterEach(() => bench.clean());

  it("is said of every kind and every hook", () => {
    for (const { name, stability } of Object.values(KINDS))
      expect(stability, name).to.be.oneOf(["stable", "experimental"]);
    expect(Object.keys(HOOK_STABILITY)).to.have.members([...HOOK_NAMES]);
  });

  it("is shown in the tree of what a plugin registers, hook by hook", async () => {
    const body =
      'export function register(host) { host.hooks.register({ name: "mine", onStepEnd() {}, onSampleEnd() {} }); }';
    const project = bench.project().install("leaning", { files: { "register.js": body } });
    const host = await bench.host(project, "leaning");
    expect(host.report.tree()).to.contain("hooks: mine (onSampleEnd: experimental)");
    const [record] = host.report.plugins.filter(({ source }) => source !== "builtin");
    expect(record.registered).to.deep.equal([
      { kind: "hooks", key: "mine", unsettled: [{ part: "onSampleEnd", stability: "experimental" }] },
    ]);
  });

  it("of a deprecated kind names the version that drops it", () => {
    const stability = { deprecatedSince: "1.2.0", removedIn: "2.0.0", instead: "engines" } as const;
    const old = { name: "old", keysOf: () => ["a"], check: () => null, stability };
    const set = new RegistrySet<{ olds: object }>({ olds: old }, () => "");
    const owner = { name: "p", version: "1.0.0" };
    const transaction = new PluginTransaction<{ olds: object }>(owner, true, { olds: old }, null);
    transaction.registrars.olds.register({});
    set.accept(transaction);
    set.commit(transaction);
    const [held] = set.ownedBy(owner);
    expect(held.unsettled).to.deep.equal([{ part: null, stability }]);
    expect(stabilityText(stability)).to.equal("deprecated since 1.2.0, gone with 2.0.0");
  });
});
