import type { HeadKind } from "../../core/formats/index.js";
import type { EngineModelType } from "../../core/plugin.js";

/** What models of each type compute. */
export const HEADS: Readonly<Record<EngineModelType, HeadKind>> = {
  language_model: "languageModel",
  value_model: "values",
  reward_model: "scores",
};
