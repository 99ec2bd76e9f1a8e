import { trainerErrors } from "./errors.js";
import type { RunScope } from "./run-scope.js";

interface Factory<O, T> {
  create(options: O): T | Promise<T>;
}

/**
 * A part of the run from a user's file (`data.custom_cls` and its like): an object with `create(options)`, a class that is
 * constructed with the options, or a function that is called with them. Null where no file is named. `method` is what the
 * part must have.
 */
export async function userPart<O, T extends object>(
  services: RunScope["services"],
  named: { readonly path: string | null; readonly name: string | null },
  part: { readonly key: string; readonly method: keyof T & string },
): Promise<Factory<O, T> | null> {
  if (named.path === null) return null;
  const { path: file, name } = named;
  if (name === null) {
    throw trainerErrors.VERL_TRAINER_USER_PART({ what: `${part.key}.path is set and ${part.key}.name is not` });
  }
  const exported = await services.loadUserModule(file, name);
  const create = creatorOf<O, T>(exported, part.method);
  return {
    async create(options) {
      const made = await create?.(options);
      if (typeof made?.[part.method] === "function") return made;
      throw trainerErrors.VERL_TRAINER_USER_PART({
        what: create ? `"${name}" made nothing with a method ${part.method}` : `"${name}" is a ${typeof exported}`,
        where: `${file} (${part.key})`,
        fix: `export an object with create(options), a class or a function; what it makes needs ${part.method}(…)`,
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
