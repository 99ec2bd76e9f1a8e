import { readYaml, toPlain } from "../config/index.js";
import { isVerlError, reasonOf } from "../host/errors.js";
import type { LoadUserModule } from "../host/loading/user-module.js";
import { readRegularText } from "../host/util/regular-file.js";

/** The error of a list that cannot be used: what is wrong, and why. */
export type BadList = (what: string, why?: string) => Error;

/** What a YAML file of a user's holds, as plain values. */
export async function readListFile(file: string, bad: BadList): Promise<unknown> {
  try {
    return toPlain(readYaml(await readRegularText(file), file));
  } catch (error) {
    throw bad("it cannot be read", isVerlError(error) ? `${error.where}: ${error.what}` : reasonOf(error));
  }
}

/** Whether it has the form `file-or-package#Export`. */
export function isExportReference(target: unknown): target is string {
  return typeof target === "string" && /^[^#]+#[^#]+$/.test(target);
}

/** An object of the class that an entry of the list in `file` names. */
export async function construct(
  target: string,
  args: readonly unknown[],
  {
    loadUserModule,
    file,
    bad,
  }: { readonly loadUserModule: LoadUserModule; readonly file: string; readonly bad: BadList },
): Promise<unknown> {
  const [reference, exportName] = target.split("#");
  const exported = await loadUserModule(reference, exportName, file);
  if (typeof exported !== "function") throw bad(`${target} is no class`);
  try {
    return Reflect.construct(exported, args);
  } catch (error) {
    throw bad(`${target} cannot be made`, reasonOf(error));
  }
}
