import { reasonOf } from "../../host/errors.js";
import { formatErrors } from "../errors.js";
import type { ModelConfig } from "../model.js";
import { embeddingName, headName } from "../param-names.js";
import { linearModules } from "./lora.js";

/** Which modules get an adapter, as PEFT's options of the same names say it. */
export interface ModuleChoice {
  /**
   * `all-linear`: every linear map of the layers. Another text is a regular expression that a full name has to match. A list
   * holds full names or their last parts, such as `q_proj` or `self_attn.q_proj`.
   */
  readonly targetModules: string | readonly string[];
  readonly excludeModules?: string | readonly string[] | null;
}

const ALL_LINEAR = "all-linear";

/** Full names of the modules in the order of computation; at least one. */
export function chooseModules(config: ModelConfig, { targetModules, excludeModules }: ModuleChoice): string[] {
  const linear = linearModules(config).map(({ name }) => name);
  const withoutSuffix = (name: string) => name.slice(0, -".weight".length);
  const others = [...new Set([embeddingName(config), headName(config)])].map(withoutSuffix);
  const isAll = typeof targetModules === "string" && targetModules.toLowerCase() === ALL_LINEAR;
  const isTarget = isAll ? (name: string) => linear.includes(name) : matcher(targetModules, "target_modules");
  const isExcluded = excludeModules ? matcher(excludeModules, "exclude_modules") : () => false;
  const chosen = [...linear, ...others].filter((name) => isTarget(name) && !isExcluded(name));

  const other = chosen.find((name) => others.includes(name));
  if (other !== undefined) {
    throw formatErrors.VERL_FORMATS_ADAPTER_TARGETS({
      what: `target_modules names ${other}, and adapters of embeddings and heads are not available`,
      fix: `Leave it out, or set exclude_modules=[${other}].`,
    });
  }
  const lists = [targetModules, excludeModules ?? []].flatMap((list) => (typeof list === "string" ? [] : list));
  const unknown = lists.find((entry) => ![...linear, ...others].some(matcher([entry], "")));
  if (unknown !== undefined || chosen.length === 0) {
    throw formatErrors.VERL_FORMATS_ADAPTER_TARGETS({
      what:
        unknown === undefined
          ? `target_modules ${JSON.stringify(targetModules)} leaves no module of this model`
          : `this model has no module "${unknown}"`,
      why: `its modules are ${[...new Set(linear.map(lastPart))].join(", ")}`,
    });
  }
  return chosen;
}

/** The shortest way to name the modules: their last parts, where these fit no other module; else their full names. */
export function describeModules(config: ModelConfig, modules: readonly string[]): string[] {
  const parts = [...new Set(modules.map(lastPart))].sort();
  const chosen = new Set(modules);
  const isExact = linearModules(config).every(({ name }) => chosen.has(name) === parts.includes(lastPart(name)));
  return isExact ? parts : [...modules];
}

const lastPart = (name: string) => name.slice(name.lastIndexOf(".") + 1);

function matcher(choice: string | readonly string[], key: string): (name: string) => boolean {
  if (typeof choice !== "string") {
    return (name) => choice.some((entry) => name === entry || name.endsWith(`.${entry}`));
  }
  try {
    const pattern = new RegExp(`^(?:${choice})$`, "s");
    return (name) => pattern.test(name);
  } catch (cause) {
    throw formatErrors.VERL_FORMATS_ADAPTER_TARGETS({
      what: `${key} ${JSON.stringify(choice)} is not a regular expression`,
      why: reasonOf(cause),
      cause,
    });
  }
}
