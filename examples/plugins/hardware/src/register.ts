import type { PluginHost } from "verl-ts/plugin";
import { acmeEngine } from "./acme-engine.js";
import { AcmePlatform } from "./acme-platform.js";
import { memoryHooks } from "./memory-hooks.js";

/** After the cpu: an imaginary chip is taken only when somebody names it. A real one leaves the priority out. */
const PRIORITY = 2000;

/** Named by `verl.register` in package.json. Registers factories only; nothing touches the chip before it is chosen. */
export function register(host: PluginHost): void {
  host.platforms.register({ vendorName: "acme", priority: PRIORITY, create: () => new AcmePlatform() });
  host.engines.register(acmeEngine(host.logger));
  host.hooks.register(memoryHooks(() => host.platform()));
}
