import type { AgentLoopFactory } from "./agent/agent-loop.js";
import type { AgentLoopManagerFactory } from "./agent/sessions/manager-factory.js";
import type { ToolParser } from "./agent/tool-parsers/tool-parser.js";
import type { ToolFactory } from "./agent/tools/tool-factory.js";
import type { AdvantageEstimator, PolicyLossFactory } from "./algorithms/advantage.js";
import { type PluginCommand, RESERVED_COMMANDS } from "./command.js";
import type { ProcessorFactory } from "./data/media/processor.js";
import type { DatasetFactory } from "./data/rows/dataset.js";
import type { SamplerFactory } from "./data/rows/row-sampler.js";
import type { EngineFactory } from "./engine/engine.js";
import { engineKeys } from "./engine/engine-keys.js";
import type { Kind, Registrar, Registry } from "./host/registry/kind.js";
import type { Stability } from "./host/registry/stability.js";
import type { PlatformFactory } from "./platform/platform.js";
import type { RewardModelFactory } from "./reward/model/reward-model.js";
import type { RewardManagerFactory, Scorer } from "./reward/reward.js";
import type { RolloutFactory, ServerAdapterFactory } from "./rollout/rollout.js";
import type { SandboxFactory } from "./sandbox/sandbox.js";
import type { TracerFactory } from "./tracing/tracer.js";
import type { TrackerFactory } from "./tracking/tracker.js";
import { HOOK_NAMES, HOOK_STABILITY, type Hooks } from "./trainer/hooks.js";
import type { TrainerFactory } from "./trainer/trainer.js";
import type { ReplayBufferFactory } from "./transfer/replay-buffer.js";
import type { TransferQueueFactory } from "./transfer/transfer-queue.js";

/** Every kind of thing that a plugin can register, by the name of its registrar. */
export interface KindMap {
  platforms: PlatformFactory;
  engines: EngineFactory;
  rollouts: RolloutFactory;
  serverAdapters: ServerAdapterFactory;
  transferQueues: TransferQueueFactory;
  replayBuffers: ReplayBufferFactory;
  agentLoops: AgentLoopFactory;
  agentLoopManagers: AgentLoopManagerFactory;
  tools: ToolFactory;
  toolParsers: ToolParser;
  rewardManagers: RewardManagerFactory;
  rewardModels: RewardModelFactory;
  scorers: Scorer;
  advantageEstimators: AdvantageEstimator;
  policyLosses: PolicyLossFactory;
  datasets: DatasetFactory;
  samplers: SamplerFactory;
  processors: ProcessorFactory;
  trainers: TrainerFactory;
  sandboxes: SandboxFactory;
  tracers: TracerFactory;
  trackers: TrackerFactory;
  hooks: Hooks;
  commands: PluginCommand;
}

export type Registrars = { readonly [K in keyof KindMap]: Registrar<KindMap[K]> };
export type Registries = { readonly [K in keyof KindMap]: Registry<KindMap[K]> };

const byName = <T extends { readonly name: string }>(item: T): readonly string[] => [item.name];

/** A structural check: the listed members must be functions. */
function needs(...methods: string[]): (item: unknown) => string | null {
  return (item) => {
    if (typeof item !== "object" || item === null) return "an object";
    const missing = methods.filter((m) => typeof (item as Record<string, unknown>)[m] !== "function");
    return missing.length > 0 ? `a method ${missing.join(", ")}` : null;
  };
}

/** Every kind says how stable its contract is. */
export const KINDS: { readonly [K in keyof KindMap]: Kind<KindMap[K]> & { readonly stability: Stability } } = {
  platforms: { name: "platform", stability: "stable", keysOf: (p) => [p.vendorName], check: needs("create") },
  engines: { name: "engine", stability: "stable", keysOf: engineKeys, check: needs("create") },
  rollouts: { name: "rollout", stability: "stable", keysOf: byName, check: needs("createReplica") },
  serverAdapters: { name: "serverAdapter", stability: "stable", keysOf: byName, check: needs("createAdapter") },
  transferQueues: { name: "transferQueue", stability: "experimental", keysOf: byName, check: needs("create") },
  replayBuffers: { name: "replayBuffer", stability: "experimental", keysOf: byName, check: needs("create") },
  agentLoops: {
    name: "agentLoop",
    stability: "stable",
    keysOf: (l) => [l.name, ...(l.aliases ?? [])],
    check: needs("create"),
  },
  agentLoopManagers: { name: "agentLoopManager", stability: "experimental", keysOf: byName, check: needs("create") },
  tools: { name: "tool", stability: "stable", keysOf: byName, check: needs("create") },
  toolParsers: { name: "toolParser", stability: "stable", keysOf: byName, check: checkToolParser },
  rewardManagers: { name: "rewardManager", stability: "stable", keysOf: byName, check: needs("create") },
  rewardModels: { name: "rewardModel", stability: "experimental", keysOf: byName, check: needs("create") },
  scorers: { name: "scorer", stability: "stable", keysOf: byName, check: needs("score") },
  advantageEstimators: { name: "advantageEstimator", stability: "stable", keysOf: byName, check: needs("compute") },
  policyLosses: { name: "policyLoss", stability: "stable", keysOf: byName, check: needs("create") },
  datasets: { name: "dataset", stability: "stable", keysOf: byName, check: needs("create") },
  samplers: { name: "sampler", stability: "experimental", keysOf: byName, check: needs("create") },
  processors: {
    name: "processor",
    stability: "experimental",
    keysOf: ({ name, modelTypes }) => [...new Set([name, ...modelTypes])],
    check: checkProcessor,
  },
  trainers: { name: "trainer", stability: "experimental", keysOf: (t) => [t.mode], check: needs("create") },
  sandboxes: { name: "sandbox", stability: "experimental", keysOf: byName, check: needs("probe", "create") },
  tracers: { name: "tracer", stability: "experimental", keysOf: byName, check: needs("create") },
  trackers: { name: "tracker", stability: "stable", keysOf: byName, check: needs("create") },
  hooks: { name: "hooks", stability: "stable", keysOf: byName, check: checkHooks, partsOf: hooksOf },
  commands: { name: "command", stability: "experimental", keysOf: byName, check: checkCommand },
};

/** The name is what a user types. */
function checkCommand(item: unknown): string | null {
  const missing = needs("run")(item);
  if (missing) return missing;
  const { name, description } = item as Partial<PluginCommand>;
  if (typeof name !== "string" || !/^[a-z0-9][a-z0-9._-]*$/.test(name))
    return "a name of small letters, digits, dots and dashes";
  if (RESERVED_COMMANDS.includes(name)) return `another name: \`verl ${name}\` is built in`;
  return typeof description === "string" && description.trim() !== "" ? null : "a text description";
}

function checkToolParser(item: unknown): string | null {
  const missing = needs("create")(item);
  return missing ?? (Array.isArray((item as ToolParser).stopTokens) ? null : "an array stopTokens");
}

function checkProcessor(item: unknown): string | null {
  const missing = needs("create")(item);
  return missing ?? (Array.isArray((item as ProcessorFactory).modelTypes) ? null : "an array modelTypes");
}

/** A misspelt hook would never be called, so every member must be known. */
function checkHooks(item: unknown): string | null {
  if (typeof item !== "object" || item === null) return "an object";
  for (const [key, value] of Object.entries(item)) {
    if (key === "name" || key === "deadlineMs" || value === undefined) continue;
    if (!HOOK_NAMES.some((name) => name === key)) return `no "${key}": hooks are ${HOOK_NAMES.join(", ")}`;
    if (typeof value !== "function" && !isSlots(value)) return `a function, or { pre, post }, as "${key}"`;
  }
  return null;
}

/** The hooks that a set has, with their labels. */
function hooksOf(set: Hooks): Readonly<Record<string, Stability>> {
  const used = HOOK_NAMES.filter((name) => set[name] !== undefined);
  return Object.fromEntries(used.map((name) => [name, HOOK_STABILITY[name]]));
}

function isSlots(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).every(([slot, f]) => (slot === "pre" || slot === "post") && typeof f === "function");
}
