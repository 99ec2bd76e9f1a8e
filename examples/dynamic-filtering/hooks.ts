import type { HookContexts, Hooks } from "verl-ts/plugin";

/** At most so many times the step's groups are sampled for it; what is left after that is trained on as it is. */
const MOST_DRAWN = 6;
/** Of the running share of groups with signal: weight of the last step. */
const MEMORY = 0.3;

/**
 * Train on groups that teach something. A group whose samples all have the same score has no advantage; it is dropped and
 * another prompt sampled in its place. So that one round of sampling is usually enough, as many more prompts are asked for as
 * the last steps lost. The trainer cuts what is left to the step's batch size.
 */
export function signalHooks() {
  let share = 1;
  let [groups, sampled, kept] = [0, 0, 0];
  return {
    name: "signal",
    onSampleBegin(step: HookContexts["onSampleBegin"]) {
      [groups, sampled, kept] = [step.groups, 0, 0];
      const wanted = Math.ceil(groups / Math.max(share, 1 / MOST_DRAWN));
      step.requestPrompts(wanted - groups);
    },
    onSampleEnd(step: HookContexts["onSampleEnd"]) {
      sampled += step.groups.length;
      for (const { uid, scores } of step.groups) {
        if (new Set(scores).size > 1) kept++;
        else if (sampled < MOST_DRAWN * groups) step.dropGroup(uid, { reason: "every sample has the same score" });
      }
    },
    onStepEnd({ addMetric }: HookContexts["onStepEnd"]) {
      share += MEMORY * (kept / sampled - share);
      addMetric("signal/groups_sampled", sampled);
      addMetric("signal/share_with_signal", kept / sampled);
    },
  } satisfies Hooks;
}

export const hooks = signalHooks();
