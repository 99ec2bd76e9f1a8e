import type { VerlError } from "../errors.js";
import type { Held } from "../registry/registry.js";
import type { ProcessRole } from "../types.js";
import type { PluginSource } from "./discovery.js";
import type { RegisteredPlugin } from "./loader.js";
import type { FailedPlugin, LoadPhase, PlannedPlugin } from "./plan.js";

/** One plugin in the report of a host. */
export interface PluginRecord {
  readonly name: string;
  readonly version: string;
  readonly specifier: string;
  readonly source: PluginSource;
  readonly status: "loaded" | "failed" | "skipped";
  /** Why it was skipped. */
  readonly reason?: string;
  /** The phase in which it failed, and how. */
  readonly phase?: LoadPhase;
  readonly error?: VerlError;
  readonly hash: string | null;
  /** Module that was imported; null for built-ins. */
  readonly entry: string | null;
  readonly provides: readonly string[];
  /** What it holds in the registries. */
  readonly registered: readonly Held[];
  readonly importMs: number;
  readonly registerMs: number;
  /** Variables of `process.env` that importing and registering changed. */
  readonly changedEnv: readonly string[];
}

type Registered = PluginRecord["registered"];

/** A plugin that registered, or said after its import that this process does not load it. */
export function loadedRecord<M>(plugin: RegisteredPlugin<M>, registered: Registered, role: ProcessRole): PluginRecord {
  const { owner, source, plan, provides, transaction, importMs, registerMs, changedEnv } = plugin;
  const place = { hash: plan?.hash ?? null, entry: plan?.entry ?? null };
  const named = { name: owner.name, version: owner.version, specifier: plan?.specifier ?? owner.name, source };
  const common = { ...named, ...place, provides, registered, importMs, registerMs, changedEnv };
  if (transaction) return { ...common, status: "loaded" };
  return { ...common, status: "skipped", reason: `does not load in processes of role ${role}` };
}

/** A plugin whose manifest leaves this process out. */
export function skippedRecord(plan: PlannedPlugin): PluginRecord {
  const roles = plan.processes === "all" ? "all" : plan.processes.join(", ");
  return { ...idle(plan), ...placeOf(plan), status: "skipped", reason: `loads only in processes of role ${roles}` };
}

export function failedRecord(
  { specifier, source, phase, error }: FailedPlugin,
  plan: PlannedPlugin | null,
): PluginRecord {
  const named = plan ?? { name: specifier, version: "?", specifier, source };
  return { ...idle(named), ...placeOf(plan), status: "failed", phase, error };
}

function idle({ name, version, specifier, source }: Pick<PluginRecord, "name" | "version" | "specifier" | "source">) {
  return { name, version, specifier, source, registered: [], importMs: 0, registerMs: 0, changedEnv: [] };
}

function placeOf(plan: PlannedPlugin | null) {
  return { hash: plan?.hash ?? null, entry: plan?.entry ?? null, provides: plan?.manifest?.provides ?? [] };
}
