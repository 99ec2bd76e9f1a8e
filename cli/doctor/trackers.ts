import type { Host } from "../../core/index.js";
import type { Diagnosis, TrackerOptions } from "../../core/plugin.js";

/** Whether the trackers that `trainer.logger` names can be used here; most have nothing to say. */
export async function diagnoseTrackers(
  { registries }: Host,
  names: readonly string[],
  options: TrackerOptions,
): Promise<Diagnosis[]> {
  const findings = await Promise.all(
    names.map(async (name) => (await registries.trackers.get(name)?.diagnose?.(options)) ?? []),
  );
  return findings.flat();
}
