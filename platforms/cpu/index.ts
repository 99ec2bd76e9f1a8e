import { definePlugin } from "../../core/plugin.js";
import { CpuPlatform } from "./cpu-platform.js";

/** Detected after every accelerator. */
const CPU_PRIORITY = 1000;

export const cpuPlugin = definePlugin({
  name: "verl-ts/platforms/cpu",
  apiVersion: "^1.0.0",
  provides: ["platform"],
  register(host) {
    host.platforms.register({ vendorName: "cpu", priority: CPU_PRIORITY, create: () => new CpuPlatform() });
  },
});

export { CpuPlatform };
