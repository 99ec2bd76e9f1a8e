import { parseKey, uidOfKey } from "./keys.js";
import { type PromptTag, readPromptTag } from "./prompt-tag.js";
import type { Entry, Tag } from "./transfer-queue.js";

/** A prompt in the queue. */
export interface PromptEntry {
  readonly uid: string;
  readonly tag: PromptTag;
}

export interface TrajectoryEntry {
  readonly key: string;
  readonly tag: Tag;
  readonly session: number;
  readonly index: number;
}

/**
 * Reads the prompts of one listing after another, oldest draw first. Listings of a long wait differ by a tag or two; tags
 * that are the same object as before are not read again.
 */
export class PromptReader {
  readonly #known = new WeakMap<Tag, PromptEntry>();

  read(entries: readonly Entry[]): PromptEntry[] {
    const prompts: PromptEntry[] = [];
    for (const { key, tag } of entries) if (!key.includes("_")) prompts.push(this.#one(key, tag));
    return prompts.sort((a, b) => a.tag.draw - b.tag.draw);
  }

  #one(uid: string, tag: Tag): PromptEntry {
    const known = this.#known.get(tag);
    if (known?.uid === uid) return known;
    const prompt = { uid, tag: readPromptTag(uid, tag) };
    this.#known.set(tag, prompt);
    return prompt;
  }
}

/** How many trajectories of each prompt a listing holds. */
export function countTrajectories(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of entries) {
    const uid = uidOfKey(key);
    if (uid !== key) counts.set(uid, (counts.get(uid) ?? 0) + 1);
  }
  return counts;
}

/** Trajectories of the given prompts, in the order of the prompts, then by session and index. */
export function trajectoriesOf(entries: readonly Entry[], uids: readonly string[]): TrajectoryEntry[] {
  const groups = new Map<string, TrajectoryEntry[]>(uids.map((uid) => [uid, []]));
  for (const { key, tag } of entries) {
    const group = groups.get(uidOfKey(key));
    if (!group || groups.has(key)) continue;
    const parsed = parseKey(key);
    if (parsed.kind === "trajectory") group.push({ key, tag, session: parsed.session, index: parsed.index });
  }
  return [...groups.values()].flatMap((group) => group.sort((a, b) => a.session - b.session || a.index - b.index));
}
