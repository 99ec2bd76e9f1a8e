import { type Dict, dict, merge, type Node, type Path, pathText } from "./tree.js";

/** A key that moved. Written under its old name it still works, and the move is reported. */
export interface RenamedKey {
  readonly from: string;
  readonly to: string;
}

const renames: readonly RenamedKey[] = [
  { from: "custom_reward_function", to: "reward.custom_reward_function" },
  { from: "reward_model.reward_manager", to: "reward.reward_manager.name" },
  { from: "reward_model.num_workers", to: "reward.num_workers" },
  { from: "reward_model.reward_kwargs", to: "reward.reward_kwargs" },
  { from: "reward_model.sandbox_fusion", to: "reward.sandbox_fusion" },
  { from: "reward_model.model.path", to: "reward.reward_model.model_path" },
  { from: "reward_model", to: "reward.reward_model" },
  { from: "sandbox_fusion", to: "reward.sandbox_fusion" },
  { from: "actor_rollout_ref.actor.ppo_micro_batch_size", to: "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu" },
  { from: "critic.ppo_micro_batch_size", to: "critic.ppo_micro_batch_size_per_gpu" },
  {
    from: "actor_rollout_ref.ref.log_prob_micro_batch_size",
    to: "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu",
  },
  {
    from: "actor_rollout_ref.rollout.log_prob_micro_batch_size",
    to: "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu",
  },
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
  for (const { from, to } of renames) {
    const taken = take(tree, from.split("."));
    if (!taken) continue;
    tree = taken.rest;
    if (isNothing(taken.node)) continue;
    moves.push({ from, to, node: taken.node });
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
