import {
  type ComposedConfig,
  configSections,
  hubModels,
  type Problem,
  type RunConfig,
  restsOn,
  sourceOfKey,
} from "../../core/config/index.js";
import { isVerlError } from "../../core/host/basics.js";
import type { Host, HostServices } from "../../core/index.js";
import type { CheckedPlan } from "../../core/trainer/index.js";
import { commandLogger } from "../program/command-logger.js";
import type { CommandIo } from "../program/io.js";

const DOUBTFUL = "the configuration has problems of its own";

/** Why engines and servers could not be asked, or what they said. */
export type PlanAnswer = { readonly checked: CheckedPlan } | Unasked;
interface Unasked {
  readonly why: string;
  /** Models of the Hub that are not here. */
  readonly missing?: readonly string[];
}

/**
 * Asks the engines and servers of a configuration what they could not do, where the platform and the models are here. What the
 * configuration's own problems made doubtful is left out.
 */
export async function askPlan(
  composed: ComposedConfig,
  config: RunConfig,
  known: readonly Problem[],
  { host, io }: { readonly host: Host; readonly io: CommandIo },
): Promise<PlanAnswer> {
  const isSection = new Set(configSections.map(({ key }) => key));
  // With defaults in place of a whole section nothing is known of the run.
  if (known.some(({ key }) => isSection.has(key))) return { why: DOUBTFUL };
  let services: HostServices;
  try {
    services = await host.services({ device: config.trainer.device });
  } catch (error) {
    if (!isVerlError(error)) throw error;
    return { why: error.what };
  }
  const { checkPlan, createAlgorithm } = await import("../../core/trainer/index.js");
  try {
    const found = await modelsAtHand(config, io);
    if ("why" in found) return found;
    const scope = {
      config: found.config,
      services,
      cwd: io.cwd,
      sourceOf: (key: string) => sourceOfKey(composed.tree, key),
    };
    const algorithm = createAlgorithm(scope);
    const totalSteps = config.trainer.total_training_steps ?? 0;
    const checked = await checkPlan(scope, { algorithm, totalSteps });
    return { checked: { ...checked, problems: checked.problems.filter((problem) => !restsOn(problem, known)) } };
  } catch (error) {
    // Of a configuration with faults of its own, anything may follow.
    if (known.length > 0) return { why: DOUBTFUL };
    if (isVerlError(error)) return { why: error.what };
    throw error;
  }
}

/** The configuration with the places of Hub models that have been downloaded; nothing is downloaded here. */
async function modelsAtHand(config: RunConfig, io: CommandIo): Promise<{ readonly config: RunConfig } | Unasked> {
  const named = hubModels(config, io.cwd);
  if (named.length === 0) return { config };
  const [{ localModels }, { hubSnapshot }] = await Promise.all([
    import("../../core/trainer/index.js"),
    import("../../core/formats/index.js"),
  ]);
  const options = { env: { ...io.env, HF_HUB_OFFLINE: "1" }, logger: commandLogger(io, "error") };
  const missing = new Set<string>();
  for (const { value, reference } of named) {
    await hubSnapshot(reference, options).catch((error: unknown) => {
      if (!isVerlError(error)) throw error;
      missing.add(value);
    });
  }
  if (missing.size === 0) return { config: await localModels(config, { ...options, cwd: io.cwd }) };
  const models = [...missing];
  return { why: `${models.join(", ")} ${models.length > 1 ? "are" : "is"} not downloaded yet`, missing: models };
}
