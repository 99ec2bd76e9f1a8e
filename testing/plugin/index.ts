export { fakesPlugin } from "./fakes-plugin.js";
export { type PluginConformanceOptions, pluginConformance } from "./plugin-conformance.js";
