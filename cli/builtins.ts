/**
 * The only place that names what is built in. Everything registers through the same `register(host)` as a third party's
 * plugin; heavy parts are loaded by the factories when they are called, not here.
 */
import type { Plugin } from "../core/plugin.js";
import { onnxPlugin } from "../engines/onnx/plugin.js";
import { amdPlugin } from "../platforms/amd/index.js";
import { cpuPlugin } from "../platforms/cpu/index.js";
import { huaweiPlugin } from "../platforms/huawei/index.js";
import { nvidiaPlugin } from "../platforms/nvidia/index.js";
import { webGpuPlugin } from "../platforms/webgpu/index.js";
import { rewardsPlugin } from "../plugins/rewards/index.js";
import { sandboxPlugin } from "../plugins/sandbox/index.js";
import { toolsPlugin } from "../plugins/tools/index.js";
import { tracingPlugin } from "../plugins/tracing/index.js";
import { trackersPlugin } from "../plugins/trackers/index.js";
import { corePlugin } from "./core-plugin.js";

/** In registration order. A plugin may replace any of it with `override: true`. */
export const BUILTINS: readonly Plugin[] = [
  corePlugin,
  nvidiaPlugin,
  huaweiPlugin,
  amdPlugin,
  cpuPlugin,
  webGpuPlugin,
  onnxPlugin,
  rewardsPlugin,
  sandboxPlugin,
  toolsPlugin,
  trackersPlugin,
  tracingPlugin,
];

/** What runs a further training process. */
export const RANK_MAIN = new URL("./rank-main.js", import.meta.url);

/** What runs agent loops in a thread. */
export const AGENT_MAIN = new URL("./agent-main.js", import.meta.url);

/** What runs a reward worker. */
export const REWARD_MAIN = new URL("./reward-main.js", import.meta.url);
