import { type CheckpointCallback, HOOK_NAMES, type HookName, type Hooks } from "../../core/plugin.js";

/** One call of a hook. */
export interface HookCall {
  readonly hook: HookName;
  readonly slot: "pre" | "post";
  readonly globalStep: number;
  readonly weightVersion: number;
}

/** Hooks that only take notes: the fake for everything that takes hooks. */
export function recordingHooks(name = "recorder"): { readonly hooks: Hooks; readonly calls: readonly HookCall[] } {
  const calls: HookCall[] = [];
  const note =
    (hook: HookName, slot: HookCall["slot"]) =>
    ({ globalStep, weightVersion }: { readonly globalStep: number; readonly weightVersion: number }) => {
      calls.push({ hook, slot, globalStep, weightVersion });
    };
  const sets = HOOK_NAMES.map((hook) => [hook, { pre: note(hook, "pre"), post: note(hook, "post") }]);
  return { hooks: { name, ...Object.fromEntries(sets) } as Hooks, calls };
}

export type Save = Parameters<CheckpointCallback["onSave"]>[0];

/** A checkpoint callback that only takes notes. */
export function recordingCheckpointCallback(): {
  readonly callback: CheckpointCallback;
  readonly saves: readonly Save[];
} {
  const saves: Save[] = [];
  return {
    saves,
    callback: {
      name: "recorder",
      onSave(save) {
        saves.push(save);
      },
    },
  };
}
