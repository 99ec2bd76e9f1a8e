import { type LoadUserModule, nearestName, pluginErrors } from "./host/index.js";
import { HOOK_NAMES, type Hooks } from "./trainer/hooks.js";

/**
 * The hook sets in a user's file (`trainer.hooks: [./hooks.ts]`): functions exported under hooks' own names, an export
 * `hooks` (one set or a list), or the default export. Sets without a name are called like the file.
 */
export async function userHooks(reference: string, load: LoadUserModule): Promise<Hooks[]> {
  const module = (await load(reference, null, "trainer.hooks")) as Readonly<Record<string, unknown>>;
  const inner = isObject(module.default) ? module.default : {};
  const bare = isHookSet(module) ? [pickHooks(module)] : [];
  const sources = [bare, module.hooks, inner.hooks, module.default].flat().filter(isHookSet);
  // A CommonJS module shows its exports twice: by name, and all together as its default.
  const unique = sources.filter((set, i) => !sources.slice(0, i).some((earlier) => sameHooks(set, earlier)));
  if (unique.length === 0) {
    const names = Object.keys(module).sort().join(", ");
    throw pluginErrors.VERL_USER_EXPORT_MISSING({
      what: `"${reference}" exports no lifecycle hooks.`,
      why: names === "" ? "It exports nothing." : `It exports ${names}.`,
      fix: `Export functions named after hooks (${HOOK_NAMES.slice(-3).join(", ")}, …), or an object of them as \`hooks\`.`,
    });
  }
  refuseMisspelt(reference, module);
  return unique.map((set, i) => ({ ...set, name: nameOf(set, reference, i) }));
}

/** A function that is exported beside hooks under almost the name of one would never be called. */
function refuseMisspelt(reference: string, module: Readonly<Record<string, unknown>>): void {
  const known: readonly string[] = HOOK_NAMES;
  for (const [name, value] of Object.entries(module)) {
    if (typeof value !== "function" || !/^on[A-Z]/i.test(name) || known.includes(name)) continue;
    const nearest = nearestName(name, known);
    if (nearest === null) continue;
    throw pluginErrors.VERL_USER_HOOK_UNKNOWN({
      what: `"${reference}" exports ${name}, which is no hook. Did you mean ${nearest}?`,
      why: `Hooks are ${known.join(", ")}.`,
    });
  }
}

function pickHooks(module: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(HOOK_NAMES.filter((name) => name in module).map((name) => [name, module[name]]));
}

function sameHooks(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  return HOOK_NAMES.every((name) => a[name] === b[name]);
}

function isHookSet(value: unknown): value is Record<string, unknown> {
  return isObject(value) && HOOK_NAMES.some((name) => value[name] !== undefined);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function nameOf(set: Record<string, unknown>, reference: string, index: number): string {
  if (typeof set.name === "string" && set.name !== "") return set.name;
  return index === 0 ? reference : `${reference}#${index + 1}`;
}
