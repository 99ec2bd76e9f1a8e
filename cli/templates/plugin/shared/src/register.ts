import type { PluginHost } from "verl-ts/plugin";
__IMPORTS__

/** Named by `verl.register` in package.json. Registers factories only: nothing is loaded or opened before a run chooses it. */
export function register(host: PluginHost): void {
__REGISTER__
}
