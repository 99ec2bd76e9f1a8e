import type { MemoryPart } from "../../engine/index.js";
import type { RunScope } from "../run-scope.js";
import { rolloutOptions } from "../setup/rollout-setup.js";
import { type EnginePlan, planEngines, rewardEnginePlan } from "../setup/run-engines.js";

type Owner = "actor" | "critic" | "reference" | "rollout" | "reward model";

/** What the engines and servers of a run say that they will need, in bytes. */
export interface RunMemory {
  readonly parts: readonly (MemoryPart & { readonly owner: Owner })[];
  /** Those that cannot say. */
  readonly unknown: readonly Owner[];
  readonly training: number;
  readonly sampling: number;
  /** Of the platform: device memory, or the host's for the cpu; null where it cannot say. */
  readonly available: number | null;
}

/** Asks every engine and server that the run would build; starts none of them. A model that cannot be read is an error. */
export async function estimateMemory(
  scope: Pick<RunScope, "config" | "cwd" | "services">,
  totalSteps: number,
): Promise<RunMemory> {
  const { config, services } = scope;
  const plans = planEngines(scope, totalSteps);
  const estimates: [Owner, readonly MemoryPart[] | null][] = [];
  const processes = await processesPerDevice(scope);
  for (const owner of ["actor", "critic", "reference"] as const) {
    const plan = plans[owner];
    if (!plan) continue;
    const own = await estimateOf(plan, scope);
    estimates.push([owner, own?.map((part) => ({ ...part, bytes: part.bytes * processes })) ?? null]);
  }
  const reward = rewardEnginePlan(scope);
  if (reward) {
    const own = await estimateOf(reward, scope);
    // A colocated one is loaded while nothing trains.
    const { enable_resource_pool: stays } = config.reward.reward_model;
    estimates.push([
      "reward model",
      own?.map((part) => (stays ? part : { ...part, during: "sampling" as const })) ?? null,
    ]);
  }
  const rollout = services.registries.rollouts.require(config.actor_rollout_ref.rollout.name);
  const options = { ...rolloutOptions(scope), eosTokenIds: [], createDecoder: null };
  estimates.push(["rollout", (await rollout.estimate?.(options)) ?? null]);
  const parts = estimates.flatMap(([owner, own]) => (own ?? []).map((part) => ({ owner, ...part })));
  const during = (phase: MemoryPart["during"]) =>
    parts
      .filter((part) => part.during === "always" || part.during === phase)
      .reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    parts,
    unknown: estimates.flatMap(([owner, own]) => (own === null ? [owner] : [])),
    training: during("training"),
    sampling: during("sampling"),
    available: (await services.platform.memoryInfo())?.totalBytes ?? null,
  };
}

/** Training processes that share the memory of one device. */
async function processesPerDevice({ config, services }: Pick<RunScope, "config" | "services">): Promise<number> {
  return Math.ceil(config.trainer.n_gpus_per_node / Math.max(1, await services.platform.deviceCount()));
}

async function estimateOf(
  { modelType, backend, options, work }: EnginePlan,
  { services }: Pick<RunScope, "services">,
): Promise<readonly MemoryPart[] | null> {
  return (await services.findEngine(modelType, backend).estimate?.({ ...options, modelType }, work)) ?? null;
}

/** The estimate in a few lines of text; the first is the sum. None where nobody could say anything. */
export function memoryLines({ parts, unknown, training, sampling, available }: RunMemory): string[] {
  if (parts.length === 0) return [];
  const of = available === null ? "" : ` of ${bytesText(available)}`;
  const lines = [`about ${bytesText(training)} while training and ${bytesText(sampling)} while sampling${of}`];
  for (const owner of new Set(parts.map((part) => part.owner))) {
    const own = parts.filter((part) => part.owner === owner && part.bytes > 0);
    lines.push(`${owner}: ${own.map(({ name, bytes }) => `${name} ${bytesText(bytes)}`).join(", ")}`);
  }
  for (const owner of unknown) lines.push(`${owner}: not known`);
  return lines;
}

/** More than there is. */
export const isTooLarge = ({ training, sampling, available }: RunMemory): boolean =>
  available !== null && Math.max(training, sampling) > available;

/** `1.5 GiB`, `12 MiB`, `300 KiB`. */
export function bytesText(bytes: number): string {
  const [unit, size] = bytes >= 2 ** 30 ? ["GiB", 2 ** 30] : bytes >= 2 ** 20 ? ["MiB", 2 ** 20] : ["KiB", 2 ** 10];
  const value = bytes / size;
  return `${value >= 10 ? Math.round(value) : Number(value.toFixed(1))} ${unit}`;
}
