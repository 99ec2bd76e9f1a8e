import { definePlugin } from "../../core/plugin.js";
import { HuaweiPlatform } from "./huawei-platform.js";

export const huaweiPlugin = definePlugin({
  name: "verl-ts/platforms/huawei",
  apiVersion: "^1.0.0",
  provides: ["platform"],
  register(host) {
    host.platforms.register({ vendorName: "huawei", priority: 110, create: () => new HuaweiPlatform() });
  },
});

export { HuaweiPlatform };
