import type { ModelFamily } from "./family.js";
import { gemma } from "./gemma.js";
import { gemma2 } from "./gemma2.js";
import { gemma3 } from "./gemma3.js";
import { gpt2 } from "./gpt2.js";
import { llama } from "./llama.js";
import { minicpm } from "./minicpm.js";
import { mistral } from "./mistral.js";
import { qwen2, qwen3 } from "./qwen.js";

export type { ModelFamily } from "./family.js";

/** Every family that engines can build. */
export const MODEL_FAMILIES: readonly ModelFamily[] = [
  gpt2,
  llama,
  minicpm,
  mistral,
  qwen2,
  qwen3,
  gemma,
  gemma2,
  gemma3,
];

/** The family of a `model_type`. */
export function familyOf(modelType: unknown): ModelFamily | undefined {
  return MODEL_FAMILIES.find((family) => family.modelType === modelType);
}

/** The family of a class in `architectures`, for files that name no type. */
export function familyOfClass(name: string): ModelFamily | undefined {
  return MODEL_FAMILIES.find(({ classes }) => Object.values(classes).includes(name));
}
