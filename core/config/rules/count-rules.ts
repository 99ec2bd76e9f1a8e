import { MAX_TRAJECTORIES } from "../schema/most.js";
import type { Rule, RuleReport } from "./rules.js";

const ROLLOUT = "actor_rollout_ref.rollout";

/** What is sampled at a time is held at a time. */
const trajectories: Rule = (report) => {
  const { data, actor_rollout_ref } = report.config;
  const { n, val_kwargs } = actor_rollout_ref.rollout;
  bounded(report, ["data.train_batch_size", data.train_batch_size], [`${ROLLOUT}.n`, n]);
  bounded(report, ["data.gen_batch_size", data.gen_batch_size ?? 1], [`${ROLLOUT}.n`, n]);
  bounded(report, ["data.val_batch_size", data.val_batch_size ?? 1], [`${ROLLOUT}.val_kwargs.n`, val_kwargs.n]);
};

type Count = readonly [key: string, value: number];

function bounded(report: RuleReport, [promptsKey, prompts]: Count, [samplesKey, samples]: Count): void {
  if (prompts * samples <= MAX_TRAJECTORIES) return;
  const most = (other: number) => Math.floor(MAX_TRAJECTORIES / other);
  report.problem("VERL_CONFIG_SIZES", report.isSet(samplesKey) ? samplesKey : promptsKey, {
    what: `${promptsKey} (${prompts}) x ${samplesKey} (${samples}) = ${prompts * samples} trajectories, and at most ${MAX_TRAJECTORIES} are sampled at a time.`,
    why: "They are held together until they have been used: no machine has the memory.",
    fix: `Set ${samplesKey} to ${most(prompts)} or less, or ${promptsKey} to ${most(samples)} or less.`,
  });
}

export const countRules: readonly Rule[] = [trajectories];
