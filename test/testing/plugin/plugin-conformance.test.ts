import { expect } from "chai";
import { BUILTINS } from "../../../cli/builtins.js";
import { definePlugin, type Plugin } from "../../../core/plugin.js";
import { fakePlatformFactory, pluginConformance, runConformance } from "../../../testing/index.js";
import { Bench } from "../../core/host/support/hosts.js";

for (const plugin of BUILTINS) runConformance(plugin.name, pluginConformance(plugin), { describe, it });

/** Names of the cases that a plugin fails. */
async function failing(plugin: Plugin | string, only = /./): Promise<string[]> {
  const failed: string[] = [];
  for (const c of pluginConformance(plugin).filter((c) => only.test(c.name)))
    await c.run().catch(() => failed.push(c.name));
  return failed;
}

const base = { name: "subject", apiVersion: "^1.0.0", provides: ["platform"] };

describe("plugin conformance", () => {
  const bench = new Bench();
  afterEach(() => bench.clean());

  it("passes a good plugin", async () => {
    const plugin = definePlugin({ ...base, register: (host) => host.platforms.register(fakePlatformFactory()) });
    expect(await failing(plugin)).to.deep.equal([]);
  });

  it("passes a good package in its folder", async () => {
    const project = bench.project().install("good");
    expect(await failing(project.path("node_modules/good"))).to.deep.equal([]);
  });

  it("catches a declared kind that is not registered", async () => {
    const plugin = definePlugin({ ...base, register() {} });
    expect(await failing(plugin)).to.deep.equal(["registers the kinds that it declares, all of them"]);
  });

  it("catches a register that depends on the process's role", async () => {
    const plugin = definePlugin({
      ...base,
      register(host) {
        host.platforms.register(fakePlatformFactory({ vendorName: `for-${host.process.role}` }));
      },
    });
    expect(await failing(plugin)).to.deep.equal([
      "registers the same in every process of a run, so that their fingerprints agree",
    ]);
  });

  it("catches changes of the environment", async () => {
    const plugin = definePlugin({
      ...base,
      register(host) {
        process.env.VERL_TEST_LEFT_BEHIND = String(Math.random());
        host.platforms.register(fakePlatformFactory());
      },
    });
    const failed = await failing(plugin);
    delete process.env.VERL_TEST_LEFT_BEHIND;
    expect(failed).to.deep.equal(["leaves the environment as it was"]);
  });

  it("catches a late registration", async () => {
    const plugin = definePlugin({
      ...base,
      register(host) {
        host.platforms.register(fakePlatformFactory());
        setTimeout(() => host.platforms.register(fakePlatformFactory({ vendorName: "late" })), 5);
      },
    });
    // In the other cases the host's refusal would be an error that the plugin leaves unhandled.
    expect(await failing(plugin, /after its register/)).to.deep.equal([
      "registers nothing after its register has settled",
    ]);
  });

  it("catches a clean-up that fails", async () => {
    const plugin = definePlugin({
      ...base,
      register(host) {
        host.platforms.register(fakePlatformFactory());
        host.onDispose(() => Promise.reject(new Error("stuck")));
      },
    });
    expect(await failing(plugin)).to.deep.equal(["is disposed without an error"]);
  });
});
