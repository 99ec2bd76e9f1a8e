import type { Host } from "../../core/index.js";
import type { Diagnosis } from "../../core/plugin.js";
import { sandboxChoice } from "../../core/trainer/index.js";

/** The part of the configuration that chooses a sandbox. */
export type SandboxSettings = Parameters<typeof sandboxChoice>[0];

/** What each sandbox isolates with, or why it cannot be used here. Only the chosen one is asked with the run's options. */
export async function diagnoseSandboxes({ registries }: Host, reward: SandboxSettings): Promise<Diagnosis[]> {
  const chosen = sandboxChoice(reward);
  return Promise.all(
    registries.sandboxes.items().map(async ({ item }): Promise<Diagnosis> => {
      const name = `sandbox ${item.name}`;
      const isChosen = item.name === chosen.name;
      const answer = await item.probe(isChosen ? chosen : undefined);
      if (answer.available) {
        return { name, status: "ok", detail: `${item.mechanism}; runs ${answer.languages.join(", ") || "nothing"}` };
      }
      const { reason, fix } = answer;
      // Most runs need no sandbox; one that does is refused before it starts.
      const status = isChosen ? "warning" : "ok";
      return { name, status, detail: `cannot be used: ${reason}`, ...(fix ? { fix } : {}) };
    }),
  );
}
