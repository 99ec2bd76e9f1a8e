import { expect } from "chai";
import { lineLogger } from "../../../core/host/index.js";
import { createHost } from "../../../core/index.js";
import type { PlatformWishes } from "../../../core/platform/index.js";
import { definePlugin, type EngineFactory, type ProbeResult } from "../../../core/plugin.js";
import { cpuPlugin } from "../../../platforms/cpu/index.js";
import { type FakePlatformOptions, fakeEngineFactory, fakePlatformFactory } from "../../../testing/index.js";
import { rejection } from "../host/support/hosts.js";

const absent: ProbeResult = { status: "no", reason: "no /dev/fake" };
const broken: ProbeResult = { status: "unusable", reason: "driver 1 is older than 2" };

describe("choosing a platform", () => {
  const log: string[] = [];
  beforeEach(() => {
    log.length = 0;
  });

  /** Chooses among the cpu and fakes, and returns the vendor. */
  async function choose(
    fakes: readonly FakePlatformOptions[],
    wishes: PlatformWishes = {},
    engines: readonly EngineFactory[] = [],
  ): Promise<string> {
    const plugin = definePlugin({
      name: "fakes",
      apiVersion: "^1.0.0",
      provides: ["platform", "engine"],
      register(host) {
        for (const fake of fakes) host.platforms.register(fakePlatformFactory(fake));
        for (const engine of engines) host.engines.register(engine);
      },
    });
    const host = await createHost({
      builtins: [cpuPlugin, plugin],
      env: {},
      logger: lineLogger((line) => log.push(line)),
    });
    try {
      return (await host.services(wishes)).platform.vendorName;
    } finally {
      await host.dispose();
    }
  }

  it("takes the cpu where nothing else is", async () => {
    expect(await choose([{ probe: absent }])).to.equal("cpu");
  });

  it("takes an accelerator before the cpu", async () => {
    expect(await choose([{}])).to.equal("fake");
  });

  it("takes the lower priority number first", async () => {
    expect(
      await choose([
        { vendorName: "slow", priority: 200 },
        { vendorName: "fast", priority: 50 },
      ]),
    ).to.equal("fast");
  });

  it("says why it passed over a chip that is there", async () => {
    expect(await choose([{ probe: broken }])).to.equal("cpu");
    expect(log.join()).to.include("platform fake is there but cannot be used: driver 1 is older than 2; using cpu");
  });

  it("asks for a choice when two claim the same priority", async () => {
    const error = await rejection(choose([{ vendorName: "one" }, { vendorName: "two" }]));
    expect(error.code).to.equal("VERL_PLATFORM_AMBIGUOUS");
    expect(error.fix).to.include("VERL_PLATFORM to one of one, two");
  });

  it("takes the one that is named, over detection and over trainer.device", async () => {
    expect(await choose([{}], { platform: " CPU " })).to.equal("cpu");
    expect(await choose([{}], { device: "cpu" })).to.equal("cpu");
    expect(await choose([{}], { platform: "fake", device: "cpu" })).to.equal("fake");
    expect(await choose([{}], { device: "auto" })).to.equal("fake");
  });

  it("understands device names and aliases, and prefers the usable vendor among several", async () => {
    const fakes = [
      { vendorName: "red", deviceName: "cuda", probe: absent },
      { vendorName: "green", deviceName: "cuda", aliases: ["geforce"] },
    ];
    expect(await choose(fakes, { platform: "cuda" })).to.equal("green");
    expect(await choose(fakes, { platform: "geforce" })).to.equal("green");
  });

  it("asks for a vendor when a device name stands for two usable ones", async () => {
    const fakes = [
      { vendorName: "red", deviceName: "cuda" },
      { vendorName: "green", deviceName: "cuda" },
    ];
    const error = await rejection(choose(fakes, { device: "cuda" }));
    expect(error.code).to.equal("VERL_PLATFORM_AMBIGUOUS");
    expect(await choose(fakes, { device: "red" })).to.equal("red");
  });

  it("lists the known ones, and the nearest, for an unknown name", async () => {
    const error = await rejection(choose([{}], { platform: "fakee" }));
    expect(error.code).to.equal("VERL_PLATFORM_UNKNOWN");
    expect(error.message)
      .to.include('Did you mean "fake"?')
      .and.to.include("Known: fake, cpu.")
      .and.to.include("fake-npu (fake)");
  });

  for (const probe of [absent, broken]) {
    it(`refuses one that is named and ${probe.status === "no" ? "absent" : "unusable"}, with the probe's reason`, async () => {
      const error = await rejection(choose([{ probe }], { platform: "fake" }));
      expect(error.code).to.equal("VERL_PLATFORM_UNUSABLE");
      expect(error.why).to.include(probe.reason);
    });
  }

  it("passes over a chip that no engine can compute on, and says why", async () => {
    const engine = (device: string, reason: string | null) => ({
      ...fakeEngineFactory(),
      backends: [`on-${device}`],
      devices: [device],
      unavailable: () => reason,
    });
    const choice = (engines: readonly EngineFactory[]) => {
      log.length = 0;
      return choose([{}], {}, engines);
    };
    expect(await choice([engine("fake-npu", "libfake is not installed"), engine("cpu", null)])).to.equal("cpu");
    expect(log.join()).to.include(
      "fake is there (2 imaginary devices) but nothing can compute on it: libfake is not installed; using cpu",
    );
    expect(await choice([engine("cpu", null)])).to.equal("cpu");
    expect(log.join()).to.include("no engine is registered for fake-npu");
    expect(await choice([engine("fake-npu", null), engine("cpu", null)])).to.equal("fake");
    expect(await choice([]), "the lookup of the engine says what is missing").to.equal("fake");
    expect(await choose([{}], { device: "fake" }, [engine("cpu", null)]), "it was named").to.equal("fake");
  });

  it("probes what matters alone", async () => {
    const probed: string[] = [];
    const plugin = definePlugin({
      name: "counted",
      apiVersion: "^1.0.0",
      provides: ["platform", "engine"],
      register(host) {
        host.engines.register({ ...fakeEngineFactory(), devices: ["fake-npu"] });
        for (const [vendorName, priority] of [
          ["first", 1],
          ["second", 2],
        ] as const) {
          const factory = fakePlatformFactory({ vendorName, priority });
          const create = async () => {
            const platform = await factory.create();
            const probe = platform.probe.bind(platform);
            platform.probe = () => {
              probed.push(vendorName);
              return probe();
            };
            return platform;
          };
          host.platforms.register({ ...factory, create });
        }
      },
    });
    for (const device of ["second", "auto"]) {
      const host = await createHost({ builtins: [plugin], env: {}, logger: lineLogger(() => {}) });
      await host.services({ device });
      await host.dispose();
    }
    expect(probed).to.deep.equal(["second", "first"]);
  });

  it("says so when no platform at all is usable", async () => {
    const host = await createHost({ env: {}, logger: lineLogger(() => {}) });
    expect((await rejection(host.services())).code).to.equal("VERL_PLATFORM_NONE");
    await host.dispose();
  });

  it("takes a probe that throws as a chip that cannot be used, not as one that is absent", async () => {
    const plugin = definePlugin({
      name: "throwing",
      apiVersion: "^1.0.0",
      provides: ["platform"],
      register(host) {
        host.platforms.register({
          vendorName: "throwing",
          create: () => {
            throw new Error("libfake.so is missing");
          },
        });
      },
    });
    const host = await createHost({
      builtins: [cpuPlugin, plugin],
      env: {},
      logger: lineLogger((line) => log.push(line)),
    });
    expect((await host.services()).platform.vendorName).to.equal("cpu");
    expect(log.join()).to.include("its factory failed: libfake.so is missing");
    await host.dispose();
  });
});
