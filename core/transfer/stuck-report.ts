import type { PromptEntry } from "./prompt-group.js";
import { isTerminal } from "./prompt-tag.js";

/** A prompt that has not ended. */
export interface StuckPrompt {
  readonly uid: string;
  readonly status: string;
  /** Time in this status. */
  readonly ageSeconds: number;
  readonly attempt: number;
  readonly trajectories: number;
  readonly lastEvent: string | null;
}

const SHOWN = 20;

/** Watches the prompts of one wait, so that its timeout can say who is stuck, since when, and what happened last. */
export class StuckWatch {
  readonly #since = new Map<string, { readonly status: string; readonly at: number }>();

  see(prompts: readonly PromptEntry[], now = Date.now()): void {
    for (const { uid, tag } of prompts) {
      if (this.#since.get(uid)?.status !== tag.status) this.#since.set(uid, { status: tag.status, at: now });
    }
  }

  /** Prompts that have not ended, longest in their status first. */
  stuck(prompts: readonly PromptEntry[], trajectories: ReadonlyMap<string, number>, now = Date.now()): StuckPrompt[] {
    return prompts
      .filter(({ tag }) => !isTerminal(tag.status))
      .map(({ uid, tag }) => ({
        uid,
        status: tag.status,
        ageSeconds: Math.max(0, now - (tag.since ?? this.#since.get(uid)?.at ?? now)) / 1000,
        attempt: tag.attempt,
        trajectories: trajectories.get(uid) ?? 0,
        lastEvent: tag.lastEvent,
      }))
      .sort((a, b) => b.ageSeconds - a.ageSeconds);
  }
}

/** The table of an error message. */
export function stuckTable(stuck: readonly StuckPrompt[]): string {
  const rows = stuck
    .slice(0, SHOWN)
    .map((prompt) => [
      prompt.uid,
      prompt.status,
      `${prompt.ageSeconds.toFixed(1)} s`,
      String(prompt.trajectories),
      prompt.lastEvent ?? (prompt.status === "pending" ? "never started" : "started"),
    ]);
  const table = [["uid", "status", "for", "stored", "last event"], ...rows];
  const widths = table[0].map((_, c) => Math.max(...table.map((row) => row[c].length)));
  const lines = table.map((row) =>
    row
      .map((cell, c) => cell.padEnd(widths[c]))
      .join("  ")
      .trimEnd(),
  );
  if (stuck.length > SHOWN) lines.push(`… and ${stuck.length - SHOWN} more`);
  return lines.join("\n");
}
