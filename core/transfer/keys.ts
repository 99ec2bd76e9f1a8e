import { transferErrors } from "./errors.js";

/** What a key names: a prompt, or one output of one session of it. */
export type ParsedKey =
  | { readonly kind: "prompt"; readonly uid: string }
  | { readonly kind: "trajectory"; readonly uid: string; readonly session: number; readonly index: number };

const TRAJECTORY = /^([^_]+)_(0|[1-9]\d*)_(0|[1-9]\d*)$/;

/** Key of a prompt: its uid, which must hold no underscore. */
export function promptKey(uid: string): string {
  if (uid === "" || uid.includes("_")) throw badKey(`the uid ${JSON.stringify(uid)} is empty or holds an underscore`);
  return uid;
}

/** Name of session `session` of a prompt, `{uid}_{session}`; no key of the queue, but what the keys of its outputs begin with. */
export const sessionName = (uid: string, session: number): string => `${uid}_${session}`;

/** Key of output `index` of session `session`: `{uid}_{session}_{index}`. */
export function trajectoryKey(uid: string, session: number, index: number): string {
  for (const n of [session, index]) {
    if (!Number.isSafeInteger(n) || n < 0) throw badKey(`session and index must be whole numbers >= 0, not ${n}`);
  }
  return `${promptKey(uid)}_${session}_${index}`;
}

/** The inverse of {@link promptKey} and {@link trajectoryKey}. Anything else is `VERL_QUEUE_BAD_KEY`. */
export function parseKey(key: string): ParsedKey {
  if (key !== "" && !key.includes("_")) return { kind: "prompt", uid: key };
  const match = TRAJECTORY.exec(key);
  if (!match) throw badKey(`${JSON.stringify(key)} is neither {uid} nor {uid}_{session}_{index}`);
  return { kind: "trajectory", uid: match[1], session: Number(match[2]), index: Number(match[3]) };
}

/** The uid that a key belongs to: everything before the first underscore. */
export function uidOfKey(key: string): string {
  const end = key.indexOf("_");
  return end < 0 ? key : key.slice(0, end);
}

function badKey(what: string): Error {
  return transferErrors.VERL_QUEUE_BAD_KEY({ what });
}
