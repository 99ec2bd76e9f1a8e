import type { RunConfig } from "../../config/run-config.js";
import { inUserCode } from "../../host/blocking/user-code.js";
import { reasonAndPlace } from "../../host/error-place.js";
import { isVerlError } from "../../host/errors.js";
import type { LoadUserModule } from "../../host/loading/user-module.js";
import { createTimeout } from "../../host/util/create-timeout.js";
import { withDeadline } from "../../host/util/deadline.js";
import { trainerErrors } from "../errors.js";
import type { CheckpointCallback } from "../hooks.js";
import type { InputScope } from "../run-scope.js";

interface Factory<O, T> {
  create(options: O): T | Promise<T>;
}

/**
 * A part of the run from a user's file (`data.custom_cls` and its like): an object with `create(options)`, a class that is
 * constructed with the options, or a function that is called with them. Null where no file is named. `methods` are what the
 * part must have; by the first of them a class is told from a function.
 */
export async function userPart<O, T extends object>(
  services: InputScope["services"],
  named: { readonly path: string | null; readonly name: string | null },
  part: {
    readonly key: string;
    readonly methods: readonly [keyof T & string, ...(keyof T & string)[]];
    readonly names?: { path: string; name: string };
    /** Longest time that making it may take; by default without end, as for data that are loaded. */
    readonly createMs?: number;
  },
): Promise<Factory<O, T> | null> {
  if (named.path === null) return null;
  const { path: file, name } = named;
  const { key, methods } = part;
  if (name === null) {
    const keys = part.names ?? { path: "path", name: "name" };
    const [at, of] = [`${key}.${keys.path}`, `${key}.${keys.name}`];
    throw trainerErrors.VERL_TRAINER_USER_PART({ what: `${at} is set and ${of} is not` });
  }
  const exported = await services.loadUserModule(file, name, `${key}.${part.names?.path ?? "path"}`);
  const create = creatorOf<O, T>(exported, methods[0]);
  const where = `${file} (${key})`;
  const tooLate = () => createTimeout(`"${name}" of ${file}`, where, part.createMs ?? 0);
  return {
    async create(options) {
      let made: T | undefined;
      try {
        const making = Promise.resolve(
          inUserCode(
            () => `create of "${name}", ${where}`,
            () => create?.(options),
          ),
        );
        made = await (part.createMs === undefined ? making : withDeadline(making, part.createMs, tooLate));
      } catch (error) {
        if (isVerlError(error)) throw error;
        const what = `"${name}" threw while it was made`;
        throw trainerErrors.VERL_TRAINER_USER_PART({ what, where, why: reasonAndPlace(error), cause: error });
      }
      const missing = methods.find((method) => typeof made?.[method] !== "function");
      if (made && missing === undefined) return made;
      throw trainerErrors.VERL_TRAINER_USER_PART({
        what: create ? `"${name}" made nothing with a method ${missing}` : `"${name}" is a ${typeof exported}`,
        where,
        fix: `export an object with create(options), a class or a function; what it makes needs ${methods.map((method) => `${method}(…)`).join(" and ")}`,
      });
    },
  };
}

function creatorOf<O, T>(exported: unknown, method: string): ((options: O) => T | Promise<T>) | null {
  if (typeof exported === "function") {
    if (typeof exported.prototype?.[method] === "function") {
      return (options) => Reflect.construct(exported, [options]) as T;
    }
    return exported as (options: O) => T | Promise<T>;
  }
  const create = (exported as Partial<Factory<O, T>> | null)?.create;
  return typeof create === "function" ? (options) => create.call(exported, options) : null;
}

/** `trainer.checkpoint_callback_class`: `file.ts` or `file.ts#name`; an object with `onSave`, or a class. */
export async function checkpointCallback(
  loadUserModule: LoadUserModule,
  config: RunConfig,
): Promise<CheckpointCallback | null> {
  const reference = config.trainer.checkpoint_callback_class;
  if (reference === null) return null;
  const [file, name = "checkpointCallback"] = reference.split("#");
  const exported = await loadUserModule(file, name, "trainer.checkpoint_callback_class");
  const callback = typeof exported === "function" ? Reflect.construct(exported, [{ config }]) : exported;
  if (typeof (callback as Partial<CheckpointCallback> | null)?.onSave === "function") {
    return callback as CheckpointCallback;
  }
  throw trainerErrors.VERL_TRAINER_USER_PART({
    what: `"${name}" of ${file} is no checkpoint callback`,
    where: "trainer.checkpoint_callback_class",
    fix: "export an object with a method onSave(save), or a class that has one",
  });
}
