import assert from "node:assert/strict";
import { createHost } from "../../core/index.js";
import type { Platform, PlatformFactory } from "../../core/platform/index.js";
import { isVerlError } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

/**
 * What every platform must do, on a machine with the chip or without: where it is not usable, members that need the
 * device are not called. `make` is called once per case.
 */
export function platformConformance(make: () => PlatformFactory): ConformanceCase[] {
  const fresh = async () => make().create();
  /** Runs `body` where the device is there; elsewhere the probe's answer is all that can be asked for. */
  const usable = async (body: (platform: Platform) => Promise<void>) => {
    const platform = await fresh();
    if ((await platform.probe()).status === "yes") await body(platform);
  };

  return [
    {
      name: "is registered under its vendor's name, in lower case",
      async run() {
        const factory = make();
        const platform = await factory.create();
        assert.equal(platform.vendorName, factory.vendorName);
        for (const name of [platform.vendorName, platform.deviceName, ...platform.aliases]) {
          assert.match(name, /^[a-z][a-z0-9_.-]*$/, "names are lower case");
        }
      },
    },
    {
      name: "answers a probe with a status and a reason in words",
      async run() {
        const { status, reason } = await (await fresh()).probe();
        assert.ok(["yes", "no", "unusable"].includes(status), `status ${status}`);
        assert.ok(reason.trim().length > 0, "a reason");
      },
    },
    {
      name: "answers a second probe the same, and leaves the environment as it was",
      async run() {
        const before = { ...process.env };
        const platform = await fresh();
        const [first, second] = [await platform.probe(), await platform.probe()];
        assert.equal(second.status, first.status);
        assert.deepEqual({ ...process.env }, before);
      },
    },
    {
      name: "says how it names collectives, masks devices and shares memory",
      async run() {
        const { collectiveBackend, visibleDevicesEnv, ipcSupported } = await fresh();
        for (const name of [collectiveBackend, visibleDevicesEnv]) {
          assert.ok(name === null || (typeof name === "string" && name !== ""), "null or a name");
        }
        assert.equal(typeof ipcSupported, "boolean");
      },
    },
    {
      name: "gives rollout servers variables that are texts",
      async run() {
        for (const [name, value] of Object.entries((await fresh()).rolloutEnv())) {
          assert.equal(typeof value, "string", name);
        }
      },
    },
    {
      name: "counts, measures and names its devices where they are usable",
      run: () =>
        usable(async (platform) => {
          const count = await platform.deviceCount();
          assert.ok(Number.isInteger(count) && count >= 1, `a usable platform has a device, not ${count}`);
          assert.ok((await platform.describe()).trim().length > 0, "a name");
          const memory = await platform.memoryInfo();
          if (memory !== null) {
            assert.ok(memory.freeBytes >= 0 && memory.freeBytes <= memory.totalBytes, "free within total");
          }
          const capability = await platform.deviceCapability();
          assert.ok(capability === null || (capability.length === 2 && capability.every(Number.isInteger)));
        }),
    },
    {
      name: "seeds, waits and frees without an error where it is usable",
      run: () =>
        usable(async (platform) => {
          await platform.manualSeed(1);
          await platform.synchronize();
          await platform.emptyCache();
        }),
    },
    {
      name: "counts only devices that its mask lets through",
      run: () =>
        usable(async ({ visibleDevicesEnv }) => {
          if (visibleDevicesEnv === null) return;
          const before = process.env[visibleDevicesEnv];
          process.env[visibleDevicesEnv] = "0";
          try {
            assert.equal(await (await fresh()).deviceCount(), 1);
          } finally {
            if (before === undefined) delete process.env[visibleDevicesEnv];
            else process.env[visibleDevicesEnv] = before;
          }
        }),
    },
    {
      name: "is chosen by its name, or refused with its probe's reason",
      async run() {
        const factory = make();
        const { status, reason } = await (await factory.create()).probe();
        const host = await createHost({ builtins: [pluginOf(factory)], env: {} });
        try {
          const choice = host.services({ platform: factory.vendorName });
          if (status === "yes") {
            assert.equal((await choice).platform.vendorName, factory.vendorName);
          } else {
            await assert.rejects(choice, (error: unknown) => isVerlError(error) && error.message.includes(reason));
          }
        } finally {
          await host.dispose();
        }
      },
    },
  ];
}

function pluginOf(factory: PlatformFactory) {
  return {
    name: "platform-under-test",
    apiVersion: "*",
    provides: ["platform"],
    register: (host: { platforms: { register(item: PlatformFactory): void } }) => host.platforms.register(factory),
  };
}
