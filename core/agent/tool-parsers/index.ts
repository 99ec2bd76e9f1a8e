/** Tool-call formats: one streaming parser each, on a small toolkit. */
import { deepseekV4 } from "./deepseek-v4.js";
import { gemma4 } from "./gemma4.js";
import { glm } from "./glm.js";
import { gptOss } from "./gpt-oss.js";
import { hermes } from "./hermes.js";
import { hermesVerl } from "./hermes-verl.js";
import { kimi } from "./kimi.js";
import { minimax } from "./minimax.js";
import { qwen3Coder } from "./qwen3-coder.js";
import { seed } from "./seed.js";
import type { ToolParser } from "./tool-parser.js";

/** In the order of the guide. */
export const builtinToolParsers: readonly ToolParser[] = [
  hermes,
  qwen3Coder,
  gptOss,
  glm,
  seed,
  minimax,
  kimi,
  deepseekV4,
  gemma4,
  hermesVerl,
];
