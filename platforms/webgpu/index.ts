import { definePlugin } from "../../core/plugin.js";
import { WebGpuPlatform } from "./webgpu-platform.js";

/**
 * Behind the cpu, so never detected: an adapter may be a program that emulates a chip, slower than the processor that runs it,
 * and nobody can tell from outside.
 */
const ONLY_BY_NAME = 2000;

export const webGpuPlugin = definePlugin({
  name: "verl-ts/platforms/webgpu",
  apiVersion: "^1.0.0",
  provides: ["platform"],
  register(host) {
    host.platforms.register({ vendorName: "webgpu", priority: ONLY_BY_NAME, create: () => new WebGpuPlatform() });
  },
});

export { WebGpuPlatform };
