import type { JsonValue } from "../host/types.js";
import { transferErrors } from "./errors.js";
import type { PromptStatus } from "./replay-buffer.js";
import type { Tag } from "./transfer-queue.js";

/** Tag of a prompt key. Whoever changes the status writes `statusTag(...)`: everything else is kept by the merge. */
export interface PromptTag {
  readonly isPrompt: true;
  readonly status: PromptStatus;
  /** Step at which the prompt was dispatched. */
  readonly globalSteps: number;
  /** Number of the prompt among those handed out since the run began. */
  readonly draw: number;
  /** Grows when the prompt is issued again. */
  readonly attempt: number;
  /** When the status was written, milliseconds since 1970; for reports only. */
  readonly since: number | null;
  /** What happened last, for reports only. */
  readonly lastEvent: string | null;
}

/** Tag of a trajectory key. */
export interface TrajectoryTag {
  readonly status: "success";
  readonly promptLen: number;
  readonly responseLen: number;
  readonly seqLen: number;
  /** Step at which the prompt was dispatched. */
  readonly globalSteps: number;
  /** Weight versions at the first and the last sampled token. */
  readonly minGlobalSteps: number;
  readonly maxGlobalSteps: number;
}

const STATUSES: readonly string[] = ["pending", "running", "finished", "failure"] satisfies PromptStatus[];

/** The tag with which a prompt is registered, before it is dispatched. */
export function promptTag(prompt: { globalSteps: number; draw: number; attempt: number }): Tag {
  const { globalSteps, draw, attempt } = prompt;
  return { isPrompt: true, globalSteps, draw, attempt, ...statusTag("pending") };
}

/** The part of a prompt's tag that changes with its status. */
export function statusTag(status: PromptStatus, lastEvent: string | null = null): Tag {
  return { status, since: Date.now(), lastEvent };
}

/** Read a prompt's tag; a status or number that makes no sense is `VERL_REPLAY_BAD_TAG`. */
export function readPromptTag(key: string, tag: Tag): PromptTag {
  const { status, globalSteps, draw, attempt = 0, since, lastEvent } = tag;
  if (!isPromptStatus(status)) throw badTag(key, "status", status, STATUSES.join(", "));
  for (const [name, value] of Object.entries({ globalSteps, draw, attempt })) {
    if (!Number.isSafeInteger(value)) throw badTag(key, name, value, "a whole number");
  }
  return {
    isPrompt: true,
    status,
    globalSteps: globalSteps as number,
    draw: draw as number,
    attempt: attempt as number,
    since: typeof since === "number" ? since : null,
    lastEvent: typeof lastEvent === "string" ? lastEvent : null,
  };
}

export function isPromptStatus(value: unknown): value is PromptStatus {
  return typeof value === "string" && STATUSES.includes(value);
}

/** Finished or failed: nothing more will be written to the group. */
export function isTerminal(status: PromptStatus): boolean {
  return status === "finished" || status === "failure";
}

function badTag(key: string, name: string, value: JsonValue | undefined, expected: string): Error {
  return transferErrors.VERL_REPLAY_BAD_TAG({
    what: `the ${name} of prompt ${key} is ${JSON.stringify(value) ?? "absent"}, expected ${expected}`,
    where: `queue key ${key}`,
  });
}
