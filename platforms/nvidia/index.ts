import { definePlugin } from "../../core/plugin.js";
import { NvidiaPlatform } from "./nvidia-platform.js";

export const nvidiaPlugin = definePlugin({
  name: "verl-ts/platforms/nvidia",
  apiVersion: "^1.0.0",
  provides: ["platform"],
  register(host) {
    host.platforms.register({ vendorName: "nvidia", priority: 100, create: () => new NvidiaPlatform() });
  },
});

export { NvidiaPlatform };
