import { definePlugin } from "../../core/plugin.js";
import { AmdPlatform } from "./amd-platform.js";

export const amdPlugin = definePlugin({
  name: "verl-ts/platforms/amd",
  apiVersion: "^1.0.0",
  provides: ["platform"],
  register(host) {
    host.platforms.register({ vendorName: "amd", priority: 120, create: () => new AmdPlatform() });
  },
});

export { AmdPlatform };
