import { type LoraShape, linearModules, type ModelConfig } from "../../../core/formats/index.js";
import type { PlanFinding } from "../../../core/plugin.js";
import { errors } from "../errors.js";

/** @throws VERL_ONNX_BAD_ADAPTER */
export function refuseBadAdapter({ rank, alpha }: Pick<LoraShape, "rank" | "alpha">): void {
  if (Number.isSafeInteger(rank) && rank >= 1 && alpha > 0 && Number.isFinite(alpha)) return;
  throw errors.VERL_ONNX_BAD_ADAPTER({ what: `an adapter cannot have rank ${rank} and alpha ${alpha}` });
}

/** The engine trains without dropout. @throws VERL_ONNX_BAD_ADAPTER */
export function refuseDropout(dropout: number, where: string): void {
  if (dropout === 0) return;
  throw errors.VERL_ONNX_BAD_ADAPTER({
    what: `the adapter was trained with lora_dropout ${dropout}, and the engine trains without dropout`,
    where,
    fix: "Set lora_dropout to 0 in its adapter_config.json to train it on without.",
  });
}

/**
 * B A is a change of its matrix, so its rank is at most the matrix's smaller side: a LoRA of a larger one trains more numbers for the
 * same changes. @throws VERL_ONNX_BAD_ADAPTER where that holds for every matrix
 */
export function refuseUselessRank(config: ModelConfig, shape: LoraShape): void {
  const { beyond, all, largest } = ranksOf(config, shape);
  if (beyond.length < all) return;
  throw errors.VERL_ONNX_BAD_ADAPTER({
    what: `a LoRA rank of ${shape.rank} is above the smaller side of every matrix that it would change; the largest is ${largest}`,
    why: "B·A can be of no higher rank than the matrix: what is beyond it costs memory and time, and changes nothing",
    fix: `Set lora_rank well below ${largest}, e.g. to ${Math.max(1, 2 ** Math.floor(Math.log2(largest / 4)))}, or to 0 to train the whole model.`,
  });
}

/** The same where it holds for some matrices. */
export function rankWarnings(config: ModelConfig, shape: LoraShape): PlanFinding[] {
  const { beyond, all } = ranksOf(config, shape);
  if (beyond.length === 0 || beyond.length === all) return [];
  const parts = new Map(beyond.map(({ name, side }) => [name.slice(name.lastIndexOf(".") + 1), side]));
  const named = [...parts].map(([name, side]) => `${name} (${side})`).join(", ");
  return [
    {
      level: "warning",
      option: "adapter.rank",
      what: `a LoRA rank of ${shape.rank} is above the smaller side of ${beyond.length} of ${all} matrices, ${named}`,
      why: "there B·A can be of no higher rank than the matrix: what is beyond it costs memory and time, and changes nothing",
      fix: "Lower lora_rank, or leave them out with exclude_modules.",
    },
  ];
}

function ranksOf(config: ModelConfig, { rank, modules }: LoraShape) {
  const chosen = new Set(modules);
  const sides = linearModules(config)
    .filter(({ name }) => chosen.has(name))
    .map(({ name, inputs, outputs }) => ({ name, side: Math.min(inputs, outputs) }));
  return {
    all: sides.length,
    beyond: sides.filter(({ side }) => rank > side),
    largest: sides.reduce((most, { side }) => Math.max(most, side), 0),
  };
}
