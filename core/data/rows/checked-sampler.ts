import { inUserCode } from "../../host/blocking/user-code.js";
import { reasonAndPlace } from "../../host/error-place.js";
import { isVerlError } from "../../host/errors.js";
import type { JsonValue } from "../../host/types.js";
import { dataErrors } from "../errors.js";
import type { RowOutcome, Sampler } from "./row-sampler.js";

/** A sampler of somebody else's: whatever it gives or throws becomes an error that names it. */
export interface CheckedSampler {
  /** `draw` is for messages. */
  next(draw: number): { readonly index: number; readonly epoch: number };
  update(outcomes: readonly RowOutcome[]): void;
  state(): JsonValue;
}

export function checkedSampler(sampler: Sampler, name: string, rows: number): CheckedSampler {
  const asked = <T>(method: string, call: () => T): T => {
    try {
      return inUserCode(() => `${method} of the sampler "${name}"`, call);
    } catch (error) {
      if (isVerlError(error)) throw error;
      throw dataErrors.VERL_DATA_SAMPLER({
        what: `${method} of the sampler "${name}" threw`,
        why: reasonAndPlace(error ?? `it threw ${error}`),
        fix: FIX,
        cause: error,
      });
    }
  };
  return {
    next(draw) {
      const index: unknown = asked("next()", () => sampler.next());
      if (!isCount(index) || index >= rows) {
        const what = `the sampler "${name}" drew row ${said(index)} of a data set of ${rows} rows`;
        throw dataErrors.VERL_DATA_SAMPLER({ what, where: `draw ${draw}` });
      }
      const epoch: unknown = asked("epoch", () => sampler.epoch);
      if (!isCount(epoch)) {
        throw dataErrors.VERL_DATA_SAMPLER({
          what: `the sampler "${name}" says that its epoch is ${said(epoch)}`,
          fix: "`epoch` counts passes over the data: a whole number from 0.",
        });
      }
      return { index, epoch };
    },
    update(outcomes) {
      if (sampler.update !== undefined) asked("update()", () => sampler.update?.(outcomes));
    },
    state() {
      const state: unknown = asked("state()", () => sampler.state());
      const text = asked("state() as JSON", () => JSON.stringify(state));
      if (text === undefined || state instanceof Promise) {
        throw dataErrors.VERL_DATA_SAMPLER({
          what: `state() of the sampler "${name}" is ${said(state)}, which a checkpoint cannot keep`,
          fix: "Return everything that further rows depend on, as plain JSON; null where that is nothing.",
        });
      }
      return state as JsonValue;
    },
  };
}

const FIX = "Correct the sampler; `samplerConformance` of verl-ts/testing tells what it must do.";

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Without looking into it: what is inside may throw. */
function said(value: unknown): string {
  if (value instanceof Promise) return "a promise";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 60))}`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
