/** What is assembled above the rooms of the core: the typed plugin host. */
export { runAgentThread } from "./agent-main.js";
export { createHost, type Host, type HostOptions } from "./create-host.js";
export { ERROR_TABLE } from "./error-table.js";
export { type InspectedPlugins, inspectPlugins } from "./inspect-plugins.js";
export { KINDS, type KindMap, type Registrars, type Registries } from "./kinds.js";
export { PACKAGE } from "./package-info.js";
export { PLUGIN_API_VERSION } from "./plugin.js";
export { runRankProcess } from "./rank-main.js";
export { runRewardWorker } from "./reward-main.js";
export type { HostServices } from "./services.js";
export { createWorkerHost, joinWorker, type WorkerHostOptions } from "./worker-host.js";
