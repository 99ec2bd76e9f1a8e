/** `verl-ts/testing`: fakes and conformance suites for everything that a plugin can register. */

export * from "./agent/index.js";
export * from "./algorithms/index.js";
export type { ConformanceCase, TestFramework } from "./case.js";
export { runConformance } from "./case.js";
export * from "./command/index.js";
export * from "./data/index.js";
export * from "./engine/index.js";
export * from "./hooks/index.js";
export * from "./platform/index.js";
export * from "./plugin/index.js";
export * from "./reward/index.js";
export * from "./rollout/index.js";
export * from "./sandbox/index.js";
export * from "./tracing/index.js";
export * from "./tracking/index.js";
export * from "./trainer/index.js";
export * from "./transfer/index.js";
