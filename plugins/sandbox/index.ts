import { definePlugin } from "../../core/plugin.js";
import { fusionSandbox } from "./fusion/fusion-sandbox.js";
import { namespacesSandbox } from "./namespaces/namespaces-sandbox.js";

/** Sandboxes: `namespaces` on Linux, and `sandbox_fusion`, a service elsewhere. */
export const sandboxPlugin = definePlugin({
  name: "verl-ts/sandbox",
  apiVersion: "^1.0.0",
  provides: ["sandbox"],
  register(host) {
    host.sandboxes.register(namespacesSandbox);
    host.sandboxes.register(fusionSandbox);
  },
});

export { fusionSandbox, namespacesSandbox };
