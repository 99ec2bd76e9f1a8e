export { type PluginConformanceOptions, pluginConformance } from "./plugin-conformance.js";
