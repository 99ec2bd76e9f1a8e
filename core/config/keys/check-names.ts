import { nearestName } from "../../host/util/nearest.js";
import type { ComposedConfig } from "../compose/compose.js";
import { type Dict, nodeAt, sourceText, toPlain, valueText } from "../compose/tree.js";
import { MAX_PROBLEMS, type Problem } from "../problems.js";
import type { KeyInfo } from "../schema/key.js";
import { configKeys, findKey } from "./catalogue.js";

/** Of the names that are registered, those that a key may have: each once, in order. */
export function offeredNames({ unoffered }: Pick<KeyInfo, "unoffered">, registered: readonly string[]): string[] {
  return [...new Set(registered)].filter((name) => !Object.hasOwn(unoffered ?? {}, name)).sort();
}

function namesLoopList(tree: Dict): boolean {
  const list = nodeAt(tree, ["actor_rollout_ref", "rollout", "agent", "agent_loop_config_path"]);
  return list !== null && toPlain(list) !== null;
}

/** A module is meant where a class of one's own may stand, and its export is missing. */
function unknownNameFix(registry: string, name: string): string {
  if (registry === "agentLoopManagers" && /[./]/.test(name)) {
    return `For a class of your own write file#Class, e.g. ${/\.[cm]?[jt]sx?$/.test(name) ? name : "./manager.ts"}#MyManager.`;
  }
  return "Use one of them, or load the plugin that registers it (VERL_USE_EXTERNAL_MODULES, or plugins in the file).";
}

/** Several names in one text, where a list is meant. */
function listFix(key: string, text: string, known: readonly string[]): string | null {
  const names = text.split(/[\s,;]+/).filter((name) => name !== "");
  const isList =
    names.length > 1 && names.every((name) => known.includes(name)) && findKey(key)?.typeText.includes("list");
  return isList ? `Write a list: [${names.join(", ")}].` : null;
}

/** Values that name registered things: trainers, trackers, engines, ... */
export function checkNames({ tree }: ComposedConfig, names: Readonly<Record<string, readonly string[]>>): Problem[] {
  const problems: Problem[] = [];
  const told = new Set<string>();
  for (const { key, path, registry, unoffered } of configKeys) {
    const known = registry ? names[registry] : undefined;
    const node = nodeAt(tree, path);
    if (!known || !node) continue;
    // The loops of a list are known once its files are loaded; that the default one is among them is checked there.
    if (registry === "agentLoops" && namesLoopList(tree)) continue;
    for (const name of [toPlain(node)].flat()) {
      if (problems.length === MAX_PROBLEMS) return problems;
      if (registry === "agentLoopManagers" && String(name).includes("#")) continue;
      if (typeof name !== "string" || (registry === "platforms" && name === "auto")) continue;
      const instead = unoffered?.[name] ?? null;
      if (known.includes(name) && instead === null) continue;
      // A default that takes over another key's value, like the reference's engine from the actor's, is told once.
      if (node.source.kind === "default" && told.has(`${registry} ${name}`)) continue;
      told.add(`${registry} ${name}`);
      const offered = offeredNames({ unoffered }, known);
      const nearest = nearestName(name, offered);
      const isElsewhere = instead !== null && known.includes(name);
      problems.push({
        code: "VERL_CONFIG_NAME",
        key,
        what: isElsewhere
          ? `${key} = ${valueText(name)}: this name has no place here.`
          : `${key} = ${valueText(name)}: no such name is registered.${nearest ? ` Did you mean ${nearest}?` : ""}`,
        where: sourceText(node.source),
        why: offered.length > 0 ? `Registered: ${offered.join(", ")}.` : "Nothing of this kind is registered.",
        fix: isElsewhere ? instead : (listFix(key, name, known) ?? unknownNameFix(registry as string, name)),
      });
    }
  }
  return problems;
}
