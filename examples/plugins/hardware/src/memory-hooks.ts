import type { Hooks, Platform } from "verl-ts/plugin";

/** Adds the chip's memory in use to every step's metrics, where the run uses the chip. */
export function memoryHooks(currentPlatform: () => Platform): Hooks {
  return {
    name: "acme memory",
    async onStepEnd({ addMetric }) {
      const platform = currentPlatform();
      if (platform.vendorName !== "acme") return;
      const memory = await platform.memoryInfo();
      if (memory) addMetric("acme/memory_used_gb", (memory.totalBytes - memory.freeBytes) / 2 ** 30);
    },
  };
}
