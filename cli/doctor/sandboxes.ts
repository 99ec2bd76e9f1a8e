import { withDeadline } from "../../core/host/index.js";
import type { Host } from "../../core/index.js";
import { type Diagnosis, reasonOf } from "../../core/plugin.js";
import type { SandboxProbe } from "../../core/sandbox/index.js";
import { sandboxChoice } from "../../core/trainer/index.js";

/** The part of the configuration that chooses a sandbox. */
export type SandboxSettings = Parameters<typeof sandboxChoice>[0];

/** A service is asked to run nothing, which takes it moments. */
const PROBE_MS = 10_000;
const late = () => new Error(`no answer within ${PROBE_MS / 1000} s`);

/** What each sandbox isolates with, or why it cannot be used here. Only the chosen one is asked with the run's options. */
export async function diagnoseSandboxes({ registries }: Host, reward: SandboxSettings): Promise<Diagnosis[]> {
  const chosen = sandboxChoice(reward);
  return Promise.all(
    registries.sandboxes.items().map(async ({ item }): Promise<Diagnosis> => {
      const name = `sandbox ${item.name}`;
      const isChosen = item.name === chosen.name;
      const answer = await withDeadline(item.probe(isChosen ? chosen : undefined), PROBE_MS, late).catch(
        (error: unknown): SandboxProbe => ({ available: false, reason: reasonOf(error) }),
      );
      if (answer.available) {
        const { languages, skewMs } = answer;
        const detail = `${item.mechanism}; runs ${languages.join(", ") || "nothing"}`;
        return { name, status: "ok", detail, ...(skewMs === undefined ? {} : { skewMs }) };
      }
      const { reason, fix } = answer;
      // Most runs need no sandbox; one that does is refused before it starts. A service is named on purpose.
      const isService = isChosen && reward.sandbox_fusion.url !== null;
      const status = isService ? "failed" : isChosen ? "warning" : "ok";
      const advice = fix ?? (isService ? "start the service, or correct reward.sandbox_fusion.url" : undefined);
      const verdict = isChosen ? "cannot be used" : "not chosen";
      return { name, status, detail: `${verdict}: ${reason}`, ...(advice ? { fix: advice } : {}) };
    }),
  );
}
