import { type Dict, dict, merge, type Node, type Path, pathText } from "../compose/tree.js";
import { inVerl, type Since, UNTIL_1_0, type Until } from "./deprecation.js";

/** A key that moved. Written under its old name it still works, and the move is reported. */
export interface RenamedKey {
  readonly from: string;
  readonly to: string;
  readonly since: Since;
  /** The old name is read so long; then the entry becomes one of a removed key. */
  readonly until: Until;
}

const moved = (since: Since, names: Readonly<Record<string, string>>): RenamedKey[] =>
  Object.entries(names).map(([from, to]) => ({ from, to, since, until: UNTIL_1_0 }));

const ACTOR = "actor_rollout_ref.actor";
const REF = "actor_rollout_ref.ref";
const ROLLOUT = "actor_rollout_ref.rollout";

const renames: readonly RenamedKey[] = [
  ...moved(inVerl("2026-02", "verl#5255"), {
    custom_reward_function: "reward.custom_reward_function",
    "reward_model.reward_manager": "reward.reward_manager.name",
    "reward_model.num_workers": "reward.num_workers",
    "reward_model.reward_kwargs": "reward.reward_kwargs",
    "reward_model.sandbox_fusion": "reward.sandbox_fusion",
    "reward_model.model.path": "reward.reward_model.model_path",
    reward_model: "reward.reward_model",
    reward_manager: "reward.reward_manager",
    sandbox_fusion: "reward.sandbox_fusion",
  }),
  ...moved(inVerl("2025-01", "verl#136"), {
    [`${ACTOR}.ppo_micro_batch_size`]: `${ACTOR}.ppo_micro_batch_size_per_gpu`,
    "critic.ppo_micro_batch_size": "critic.ppo_micro_batch_size_per_gpu",
    [`${REF}.log_prob_micro_batch_size`]: `${REF}.log_prob_micro_batch_size_per_gpu`,
    [`${ROLLOUT}.log_prob_micro_batch_size`]: `${ROLLOUT}.log_prob_micro_batch_size_per_gpu`,
  }),
  ...moved(inVerl("2025-10", "verl#3739"), {
    [`${ACTOR}.optim.warmup_style`]: `${ACTOR}.optim.lr_scheduler_type`,
    "critic.optim.warmup_style": "critic.optim.lr_scheduler_type",
  }),
  ...moved(inVerl("2025 or 2026"), {
    [`${ROLLOUT}.update_weights_bucket_megabytes`]: `${ROLLOUT}.checkpoint_engine.update_weights_bucket_megabytes`,
  }),
  ...moved(inVerl("2025"), {
    [`${ACTOR}.checkpoint.contents`]: `${ACTOR}.checkpoint.save_contents`,
    "critic.checkpoint.contents": "critic.checkpoint.save_contents",
    [`${ROLLOUT}.multi_turn.max_turns`]: `${ROLLOUT}.multi_turn.max_assistant_turns`,
    "trainer.val_generations_to_log_to_wandb": "trainer.log_val_generations",
    "trainer.val_generations_to_log_to_swanlab": "trainer.log_val_generations",
  }),
];

export const renamedKeys = renames;

/** The present name of a path, with the entry that moved it; null if it has not moved. */
export function renamed(path: Path): { readonly path: string[]; readonly entry: RenamedKey } | null {
  const key = pathText(path);
  for (const entry of renames) {
    if (key === entry.from || key.startsWith(`${entry.from}.`)) {
      return { path: [...entry.to.split("."), ...path.slice(entry.from.split(".").length)], entry };
    }
  }
  return null;
}

export interface Move extends RenamedKey {
  readonly node: Node;
}

/** Moves the old keys of a tree to their new places. A value at the new place wins. */
export function moveRenamed(root: Dict): { readonly tree: Dict; readonly moves: readonly Move[] } {
  let tree: Dict = root;
  const moves: Move[] = [];
  for (const entry of renames) {
    const { from, to } = entry;
    const taken = take(tree, from.split("."));
    if (!taken) continue;
    tree = taken.rest;
    if (isNothing(taken.node)) continue;
    moves.push({ ...entry, node: taken.node });
    tree = merge(wrap(to.split("."), taken.node), tree) as Dict;
  }
  return { tree, moves };
}

function take(root: Dict, path: Path): { readonly node: Node; readonly rest: Dict } | null {
  const [head, ...tail] = path;
  const child = root.entries.get(head);
  if (!child) return null;
  const rest = dict(root.source, root.entries);
  if (tail.length === 0) {
    rest.entries.delete(head);
    return { node: child, rest };
  }
  if (child.kind !== "dict") return null;
  const inner = take(child, tail);
  if (!inner) return null;
  rest.entries.set(head, inner.rest);
  return { node: inner.node, rest };
}

function wrap(path: Path, node: Node): Dict {
  return path.reduceRight<Node>((inner, name) => dict(inner.source, [[name, inner]]), node) as Dict;
}

const isNothing = (node: Node): boolean =>
  (node.kind === "scalar" && node.value === null) || (node.kind === "dict" && node.entries.size === 0);
