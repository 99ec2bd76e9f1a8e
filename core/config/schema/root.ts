import type { z } from "zod";
import { actor, ref } from "./actor.js";
import { algorithm } from "./algorithm.js";
import { critic } from "./critic.js";
import { data } from "./data.js";
import { key, section, strings } from "./key.js";
import { model } from "./model.js";
import { reward } from "./reward.js";
import { rollout } from "./rollout.js";
import { trainer } from "./trainer.js";
import { transferQueue } from "./transfer-queue.js";

/** The whole configuration tree, under verl's key names. */
export const runConfigSchema = section("The configuration of a run.", {
  trainer,
  data,
  actor_rollout_ref: section("Policy, reference policy and rollout.", {
    model: model(null),
    actor,
    ref,
    rollout,
  }),
  algorithm,
  critic,
  reward,
  transfer_queue: transferQueue,
  plugins: key(strings(), [], "Plugins to load: packages or files, like VERL_USE_EXTERNAL_MODULES.", {
    file: true,
    differs: { why: "plugins can be named in the file" },
  }),
});

/** The resolved, validated configuration. */
export type RunConfig = z.output<typeof runConfigSchema>;
