import path from "node:path";
import { isVerlError } from "../../host/errors.js";
import { defaultTree, findKey, findSection, openSectionOf } from "../keys/catalogue.js";
import { sinceText, untilText } from "../keys/deprecation.js";
import { holdsKnownKeys, knownKey, verlDefault } from "../keys/find-key.js";
import { moveRenamed, type RenamedKey, renamed } from "../keys/renamed-keys.js";
import { nearestKeys, suggestKey } from "../nearest.js";
import { MAX_PROBLEMS, MAX_SUGGESTIONS, type Notice, type Problem, problemOf, problemsError } from "../problems.js";
import { FileReader } from "./file-reader.js";
import { expandHomePaths } from "./home-paths.js";
import { applyOverride, type KeyRules, keyTextOf, type Override, parseOverride } from "./overrides.js";
import { type Env, resolveReferences } from "./references.js";
import {
  type Dict,
  dict,
  MAX_TREE_DEPTH,
  merge,
  type Node,
  nodeAt,
  type Path,
  scalar,
  sourceText,
  toPlain,
} from "./tree.js";
import { parseYaml } from "./yaml.js";

/** Environment variables that set a key: they beat files and lose to overrides. */
export const ENV_KEYS: readonly { readonly name: string; readonly key: string }[] = [
  { name: "VERL_PLATFORM", key: "trainer.device" },
  { name: "VERL_ENGINE", key: "actor_rollout_ref.actor.strategy" },
  { name: "VERL_ROLLOUT", key: "actor_rollout_ref.rollout.name" },
  { name: "VERL_TRACKER_PYTHON", key: "trainer.tracker_python" },
];

export interface ComposeOptions {
  /** YAML files, later ones over earlier ones; relative to `cwd`. */
  readonly files: readonly string[];
  readonly overrides: readonly string[];
  readonly env: Env;
  readonly cwd: string;
}

/** Phase one: everything is composed and every reference resolved; nothing but the plugin list has been checked. */
export interface ComposedConfig {
  readonly tree: Dict;
  /** Overrides that do not fit and references that lead nowhere: of {@link composeAnyway} alone. */
  readonly problems: readonly Problem[];
  readonly notices: readonly Notice[];
  /** Files read, absolute, in order of rising precedence. */
  readonly files: readonly string[];
  /** `plugins` and `model.external_lib`: what to load before phase two. */
  readonly plugins: readonly string[];
}

/** defaults <- files <- environment <- overrides, then references. Whatever is wrong with the last two is thrown at once. */
export async function composeConfig(options: ComposeOptions): Promise<ComposedConfig> {
  return sound(await composeAnyway(options));
}

/**
 * Like {@link composeConfig}, but without the overrides that do not fit, and with defaults where references lead nowhere:
 * what is wrong is among the problems, and the rest can still be looked at.
 */
export async function composeAnyway(options: ComposeOptions): Promise<ComposedConfig> {
  const reader = new FileReader();
  let user = dict({ kind: "default" });
  for (const file of options.files) user = merge(user, await reader.read(path.resolve(options.cwd, file))) as Dict;
  return compose(user, reader.files, options);
}

/** A document that is already at hand, as if it had come from a file. */
export function composeUser(document: Dict, env: Env): ComposedConfig {
  return sound(compose(document, [], { overrides: [], env }));
}

function sound(composed: ComposedConfig): ComposedConfig {
  if (composed.problems.length > 0) throw problemsError(composed.problems);
  return composed;
}

function compose(user: Dict, files: readonly string[], { overrides, env }: { overrides: readonly string[]; env: Env }) {
  const notices: Notice[] = [];
  const problems: Problem[] = [];
  const moved = moveRenamed(user);
  for (const { node, ...entry } of moved.moves) notices.push(movedNotice(entry, node));

  const tree = merge(defaultTree(), withoutEmptySections(moved.tree, [])) as Dict;
  for (const { name, key } of ENV_KEYS) {
    const value = env[name]?.trim();
    if (value) setPath(tree, key.split("."), scalar(value, { kind: "env", name }));
  }
  applyAll(tree, overrides, notices, problems);

  const defaults = defaultTree();
  const resolved = resolveReferences(merge(defaults, tree) as Dict, {
    env,
    fallback: verlDefault,
    suggest: (path) => (problems.length < MAX_SUGGESTIONS ? suggestKey(path) : ""),
    instead: (error, path) => {
      const problem = problemOf(error, String(error.data?.key ?? path.join(".")));
      // Several references may meet one obstacle.
      const isTold = problems.some(({ key, what }) => key === problem.key && what === problem.what);
      if (!isTold && problems.length < MAX_PROBLEMS) problems.push(problem);
      return nodeAt(defaults, path);
    },
  });
  expandHomePaths(resolved, env);
  return { tree: resolved, problems, notices, files, plugins: pluginsOf(resolved) } satisfies ComposedConfig;
}

/** The bare composition of one YAML text and overrides, without defaults or knowledge of any key. */
export function composeDocument(text: string, overrides: readonly string[], env: Env, file = "config.yaml"): Dict {
  const tree = parseYaml(text, file);
  for (const override of overrides) applyOverride(tree, parseOverride(override));
  return resolveReferences(tree, { env });
}

/** Overrides that do not fit are left out. */
function applyAll(tree: Dict, overrides: readonly string[], notices: Notice[], problems: Problem[]): void {
  for (const text of overrides) {
    try {
      applyOverride(tree, present(parseOverride(text), notices), productRules);
    } catch (error) {
      if (!isVerlError(error)) throw error;
      const key = keyTextOf(String(error.data?.override ?? text));
      const path = key.split(".");
      const meant = problems.length < MAX_SUGGESTIONS && isNowhere(path) ? nearestKeys(path) : [];
      problems.push({ ...problemOf(error, key), ...(meant.length > 0 ? { meant } : {}) });
    }
  }
}

const productRules: KeyRules = {
  isKnown: (key) => isKnownPath(key),
  suggest: suggestKey,
};

/** Whether a path is a key of ours or of verl's, or lies in a section that is open for any key. */
export function isKnownPath(key: Path): boolean {
  const text = key.join(".");
  if (findKey(text) || findSection(text) || openSectionOf(key)) return true;
  return knownKey(key) !== null || holdsKnownKeys(key);
}

/** A key that there is not; one of more parts than any is something else. */
const isNowhere = (path: Path): boolean => path.length <= MAX_TREE_DEPTH && !isKnownPath(path);

/** An override of a renamed key acts on the new one. */
function present(override: Override, notices: Notice[]): Override {
  const now = renamed(override.path);
  if (!now) return override;
  notices.push(movedNotice(now.entry, override));
  return { ...override, path: now.path };
}

function movedNotice({ from, to, since, until }: RenamedKey, { source }: Pick<Node, "source">): Notice {
  return {
    level: "notice",
    key: from,
    message: `${from} is now ${to} (renamed ${sinceText(since)}); the value was moved. The old name stops working with ${untilText(until)}.`,
    where: sourceText(source),
    deprecation: { kind: "renamed", key: from, instead: to, since, until },
  };
}

/** `trainer:` without content is an empty section, not null. */
function withoutEmptySections(section: Dict, at: Path): Dict {
  const kept = dict(section.source);
  for (const [name, node] of section.entries) {
    const inner = [...at, name];
    const key = inner.join(".");
    const isEmpty = node.kind === "scalar" && node.value === null;
    if (isEmpty && (findSection(key) || findKey(key)?.open)) continue;
    kept.entries.set(name, node.kind === "dict" ? withoutEmptySections(node, inner) : node);
  }
  return kept;
}

function setPath(root: Dict, [head, ...rest]: string[], node: Node): void {
  const next = root.entries.get(head);
  if (rest.length === 0) root.entries.set(head, node);
  else if (next?.kind === "dict") setPath(next, rest, node);
}

function pluginsOf(tree: Dict): string[] {
  const { plugins, actor_rollout_ref } = toPlain(tree) as {
    plugins?: unknown;
    actor_rollout_ref?: { model?: { external_lib?: unknown } };
  };
  return [plugins, actor_rollout_ref?.model?.external_lib].flat().filter((item) => typeof item === "string");
}
