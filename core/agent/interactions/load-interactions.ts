import path from "node:path";
import type { LoadUserModule } from "../../host/loading/user-module.js";
import { isObject } from "../../host/util/plain-object.js";
import { agentErrors } from "../errors.js";
import { type BadList, construct, isExportReference, readListFile } from "../list-file.js";
import type { Interaction } from "./interaction.js";

export interface InteractionSource {
  /** `multi_turn.interaction_config_path`, relative to `cwd`. */
  readonly configPath: string | null;
  readonly cwd: string;
  readonly loadUserModule: LoadUserModule;
}

/** Simulated users by name; empty where a run has none. */
export type InteractionSet = ReadonlyMap<string, Interaction>;

/**
 * The simulated users of a run. The file is YAML, `interaction: [{name?, class_name, config?}]`: `class_name` is
 * `file-or-package#Export`, a class that is constructed with `config` and the name in it. An entry without a name is called like
 * its class, in small letters and without `Interaction` at the end.
 */
export async function loadInteractions({
  configPath,
  cwd,
  loadUserModule,
}: InteractionSource): Promise<InteractionSet> {
  const known = new Map<string, Interaction>();
  if (configPath === null) return known;
  const file = path.resolve(cwd, configPath);
  for (const { name, target, config } of await readEntries(file)) {
    if (known.has(name)) throw badFile(file, `the name "${name}" occurs twice`);
    const bad: BadList = (what, why) => badFile(file, what, why);
    const made = await construct(target, [{ ...config, name }], { loadUserModule, file, bad });
    if (typeof (made as Partial<Interaction>).generateResponse !== "function") {
      throw badFile(file, `${target} makes an object without a method generateResponse`);
    }
    known.set(name, made as Interaction);
  }
  return known;
}

/** The names in a list of interactions, without their modules. */
export async function interactionNames(configPath: string, cwd: string): Promise<readonly string[]> {
  return (await readEntries(path.resolve(cwd, configPath))).map(({ name }) => name);
}

interface Entry {
  readonly name: string;
  readonly target: string;
  readonly config: Readonly<Record<string, unknown>>;
}

async function readEntries(file: string): Promise<Entry[]> {
  const content = await readListFile(file, (what, why) => badFile(file, what, why));
  const list = (content as { readonly interaction?: unknown } | null)?.interaction;
  if (!Array.isArray(list)) throw badFile(file, "it has no list interaction");
  return list.map((item: unknown, i) => {
    const { name, class_name: target, config } = (item ?? {}) as Record<string, unknown>;
    if (!isExportReference(target)) {
      throw badFile(file, `entry ${i + 1} has no class_name of the form file#Export`);
    }
    if (name != null && (typeof name !== "string" || name === "")) throw badFile(file, `entry ${i + 1} has no name`);
    const given = config ?? {};
    if (!isObject(given)) throw badFile(file, `entry ${i + 1} has a config that is no section`);
    return { name: typeof name === "string" ? name : nameOfClass(target), target, config: given };
  });
}

const nameOfClass = (target: string) =>
  target
    .slice(target.lastIndexOf("#") + 1)
    .replace(/(?<=.)Interaction$/, "")
    .toLowerCase();

function badFile(file: string, what: string, why?: string) {
  return agentErrors.VERL_AGENT_BAD_INTERACTION({
    what: `the list of interactions cannot be used: ${what}`,
    where: file,
    why,
  });
}
