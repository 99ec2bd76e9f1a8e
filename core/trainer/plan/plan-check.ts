import { type Notice, type Problem, problemsError } from "../../config/index.js";
import type { EngineCapabilities, EngineFactory } from "../../engine/index.js";
import { findProblems, type OptionLook, type PlanFinding, type PlannedModel } from "../../engine/plan-check.js";
import { isVerlError } from "../../host/errors.js";
import type { Logger } from "../../host/types.js";
import type { RolloutCapabilities } from "../../rollout/rollout.js";
import { requireStream } from "../../transfer/index.js";
import type { RunScope } from "../run-scope.js";
import { type Algorithm, checkOutputs } from "../setup/algorithm-setup.js";
import {
  refuseForeignTokenizer,
  refuseLargerTokenizer,
  refuseSilentSampler,
  requireAdapters,
  requireMultiModal,
  requireQuantization,
  requireServedMedia,
  requireValues,
} from "../setup/fitness.js";
import type { RunInputs } from "../setup/input-setup.js";
import { rolloutOptions } from "../setup/rollout-setup.js";
import { type EnginePlan, planEngines, rewardEnginePlan } from "../setup/run-engines.js";
import { keyOfOption, type PlanOwner, strategyKey } from "./plan-keys.js";
import { longSequences, type PlannedLength } from "./plan-lengths.js";

/** What engines and servers say of a run before any of them is made. */
export interface CheckedPlan {
  /** Each with its key, and where that was set. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly Notice[];
  /** Models by whose they are, as far as they are known. */
  readonly models: ReadonlyMap<PlanOwner, PlannedModel>;
  /** Null where the engine does not say, or there is none. */
  readonly actor: EngineCapabilities | null;
  readonly critic: EngineCapabilities | null;
  /** Null where the server does not say. */
  readonly rollout: RolloutCapabilities | null;
  /** Those that have no check of their own: their faults show when they start. */
  readonly unasked: readonly PlanOwner[];
}

type Scope = Pick<RunScope, "config" | "cwd" | "services" | "sourceOf">;

export interface PlanChecks {
  /** What is trained with; null: nothing is trained, and engines are looked at as far as they compute forward. */
  readonly algorithm: Algorithm | null;
  /** 0 where it is not known yet. */
  readonly totalSteps: number;
  /** Only these; default: all that the run would make. */
  readonly owners?: readonly PlanOwner[];
}

/** Asks every engine and server that a run would make whether it could. Starts nothing. */
export async function checkPlan(scope: Scope, { algorithm, totalSteps, owners }: PlanChecks): Promise<CheckedPlan> {
  const found: Found = {
    findings: [],
    models: new Map(),
    lengths: [],
    actor: null,
    critic: null,
    rollout: null,
    unasked: [],
  };
  const isWanted = (owner: PlanOwner) => owners === undefined || owners.includes(owner);
  const plans = planEngines(scope, totalSteps);
  const engines: [PlanOwner, EnginePlan | null][] = [
    ["actor", plans.actor],
    ["critic", plans.critic],
    ["reference", plans.reference],
    ["reward model", rewardEnginePlan(scope)],
  ];
  for (const [owner, plan] of engines)
    if (plan && isWanted(owner)) await checkEngine(owner, plan, scope, found, algorithm);
  if (isWanted("rollout")) await checkServer(scope, found, algorithm !== null);
  return reported(scope, found);
}

/** Ends a run that could not start, with everything that keeps it from it, and warns of the rest. */
export function requirePlan({ problems, warnings }: CheckedPlan, logger: Pick<Logger, "warn">): void {
  if (problems.length > 0) throw problemsError(problems);
  for (const { message, where } of warnings) logger.warn(where ? `${message} (${where})` : message);
}

/** What the data and the tokenizer ask of models that were looked at: told before anything is loaded. */
export function refuseUnfitInputs(
  { models, actor, critic, rollout }: Pick<CheckedPlan, "models" | "actor" | "critic" | "rollout">,
  { tokenizer, shown, rewards }: Pick<RunInputs, "tokenizer" | "shown" | "rewards">,
  { actor_rollout_ref, reward }: RunScope["config"],
): void {
  for (const owner of ["actor", "critic", "reference"] as const) {
    const model = models.get(owner);
    if (model) refuseLargerTokenizer(model, tokenizer);
  }
  const rewardModel = models.get("reward model");
  if (rewardModel && rewards.modelTokenizer) {
    const { tokenizer_path, model_path } = reward.reward_model;
    refuseForeignTokenizer(rewardModel, rewards.modelTokenizer, tokenizer_path ?? model_path ?? "");
  }
  if (actor) requireMultiModal({ capabilities: actor }, shown, strategyKey("actor"));
  if (critic) requireMultiModal({ capabilities: critic }, shown, strategyKey("critic"));
  if (rollout) requireServedMedia({ capabilities: rollout }, shown, actor_rollout_ref.rollout.name);
}

interface Found {
  readonly findings: (PlanFinding & { readonly key: string })[];
  readonly models: Map<PlanOwner, PlannedModel>;
  readonly lengths: PlannedLength[];
  actor: EngineCapabilities | null;
  critic: EngineCapabilities | null;
  rollout: RolloutCapabilities | null;
  readonly unasked: PlanOwner[];
}

async function checkEngine(
  owner: PlanOwner,
  { modelType, backend, options, work }: EnginePlan,
  { config, services }: Scope,
  found: Found,
  algorithm: Algorithm | null,
): Promise<void> {
  const add = (findings: readonly PlanFinding[], key = (option: string) => keyOfOption(owner, option, config)) =>
    found.findings.push(...findings.map((finding) => ({ ...finding, key: key(finding.option) })));
  let factory: EngineFactory;
  try {
    factory = await services.requireEngine(modelType, backend);
  } catch (error) {
    if (!isVerlError(error)) throw error;
    const isMissingHere = error.code === "VERL_ENGINE_UNAVAILABLE";
    const look = () => Promise.reject(error);
    add(await findProblems([["engine", look]]), () => (isMissingHere ? "trainer.device" : strategyKey(owner)));
    return;
  }
  const { n_gpus_per_node: ranks } = config.trainer;
  if (ranks > 1 && owner !== "reward model" && !factory.createBackend) {
    const what = `the engine ${factory.backends.join(" or ")} trains in one process, and ${ranks} are asked for`;
    const fix = "Set trainer.n_gpus_per_node to 1, or choose an engine that supports data parallelism.";
    add([{ level: "problem", option: "topology", code: "VERL_ENGINE_ONE_PROCESS", what, fix }]);
  }
  if (!factory.check) {
    found.unasked.push(owner);
    return;
  }
  const trains = algorithm !== null;
  const asked = { ...options, modelType, ...(trains ? {} : { optimizer: null }) };
  const { capabilities, model, findings } = await factory.check(asked, work);
  add(findings);
  if (model) {
    found.models.set(owner, model);
    found.lengths.push({ owner, longest: work.longest, positions: model.maxPositions, key: null });
  }
  if (owner === "actor" || owner === "critic") found[owner] = capabilities;
  const demands: OptionLook[] = [
    [
      options.adapter && "path" in options.adapter ? "adapter.path" : "adapter.rank",
      () => requireAdapters({ capabilities }, options),
    ],
  ];
  if (owner === "critic") demands.push(["engine", () => requireValues({ capabilities })]);
  if (owner === "actor" && algorithm) {
    demands.push(
      ["engine", () => checkOutputs({ capabilities }, algorithm)],
      ["engine", () => requireStream({ capabilities })],
    );
  }
  add(await findProblems(demands));
}

async function checkServer(scope: Scope, found: Found, trains: boolean): Promise<void> {
  const { config, services } = scope;
  const { rollout } = config.actor_rollout_ref;
  const add = (findings: readonly PlanFinding[]) =>
    found.findings.push(...findings.map((f) => ({ ...f, key: keyOfOption("rollout", f.option, config) })));
  const { rollouts, serverAdapters } = services.registries;
  const missing = await findProblems([
    ["server", () => rollouts.require(rollout.name)],
    ["server", () => serverAdapters.require(rollout.name)],
  ]);
  add(missing);
  if (missing.length > 0) return;
  const factory = rollouts.require(rollout.name);
  if (!factory.check) {
    found.unasked.push("rollout");
    return;
  }
  const options = { ...rolloutOptions(scope), eosTokenIds: [], createDecoder: null };
  const { capabilities, model, findings } = await factory.check(options);
  found.rollout = capabilities;
  add(findings);
  if (model) {
    found.models.set("rollout", model);
    const key = rollout.max_model_len === null ? null : keyOfOption("rollout", "maxModelLen", config);
    found.lengths.push({ owner: "rollout", longest: options.maxModelLen, positions: model.maxPositions, key });
  }
  if (!findings.some(({ option }) => option === "quantization")) {
    add(await findProblems([["quantization", () => requireQuantization({ capabilities }, rollout)]]));
  }
  if (trains)
    add(await findProblems([["server", () => refuseSilentSampler({ replicas: [{ capabilities }] }, config)]]));
}

/** Findings of several owners about one thing, such as a model that cannot be read, are told once. */
function reported(
  { config, sourceOf }: Scope,
  { findings, lengths, models, actor, critic, rollout, unasked }: Found,
): CheckedPlan {
  const problems = new Map<string, Problem>();
  const warnings = new Map<string, Notice>();
  const whereOf = (key: string) => {
    const source = sourceOf?.(key);
    return source === undefined ? key : `${key} (${source})`;
  };
  for (const { level, key, code = "VERL_CONFIG_UNFIT", what, why, fix } of [
    ...findings,
    ...longSequences(lengths, config),
  ]) {
    const where = whereOf(key);
    const id = `${key} ${what}`;
    if (level === "problem") problems.set(id, { code, key, what, where, why, fix });
    else warnings.set(id, { level: "warning", key, message: [what, why, fix].filter(Boolean).join("; "), where });
  }
  return {
    problems: [...problems.values()],
    warnings: [...warnings.values()],
    models,
    actor,
    critic,
    rollout,
    unasked,
  };
}
