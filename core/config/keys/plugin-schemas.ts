import type { JsonValue } from "../../host/types.js";
import { type Dict, isSet, nodeAt, type Path, pathText, sourceText } from "../compose/tree.js";
import type { Notice, Problem } from "../problems.js";
import { findSection } from "./catalogue.js";

/** What a plugin's manifest says about the configuration: a JSON Schema of the whole tree, from its root. */
export interface PluginSchema {
  readonly plugin: string;
  readonly schema: Schema;
}
type Schema = Readonly<Record<string, JsonValue>>;

/**
 * Whether a plugin brings this key: its schema names it under `properties`, outside or inside our sections. What lies
 * below such a key is the plugin's as well.
 */
export function bringsKey({ schema }: PluginSchema, path: Path): boolean {
  let current: JsonValue | undefined = schema;
  for (const [i, part] of path.entries()) {
    const properties = asObject(asObject(current)?.properties);
    current = properties && Object.hasOwn(properties, part) ? properties[part] : undefined;
    if (current === undefined) return false;
    if (!findSection(pathText(path.slice(0, i + 1)))) return true;
  }
  return false;
}

interface SchemaIssue {
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Checks a configuration against each plugin's schema and fills in the defaults of the schemas, in place. JSON Schema
 * rather than zod, so that two copies of a validation library never meet.
 */
export async function checkPluginSchemas(
  config: Record<string, unknown>,
  tree: Dict,
  schemas: readonly PluginSchema[],
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { plugin, schema } of schemas) {
    try {
      problems.push(...(await issuesOf(schema, config)).map((issue) => problemOf(plugin, issue, tree)));
    } catch (error) {
      problems.push({
        code: "VERL_CONFIG_PLUGIN_SECTION",
        key: plugin,
        what: `The configSchema of ${plugin} cannot be used.`,
        why: error instanceof Error ? error.message : String(error),
        fix: `Tell the author of ${plugin}.`,
      });
    }
  }
  return problems;
}

/** Settings that a plugin's schema marks `deprecated`, where somebody sets them; `deprecationMessage` says what to do instead. */
export function deprecatedSettings(tree: Dict, schemas: readonly PluginSchema[]): Notice[] {
  return schemas.flatMap(({ plugin, schema }) => deprecatedBelow(schema, [], { plugin, tree }));
}

function deprecatedBelow(schema: JsonValue, path: Path, of: { plugin: string; tree: Dict }): Notice[] {
  const { deprecated, deprecationMessage, properties } = asObject(schema) ?? {};
  const node = nodeAt(of.tree, path);
  if (!node) return [];
  const key = pathText(path);
  const own: Notice[] = [];
  if (deprecated === true && isSet(of.tree, key)) {
    const instead = typeof deprecationMessage === "string" ? `: ${deprecationMessage}` : "";
    own.push({
      level: "notice",
      key,
      message: `${key} is deprecated by ${of.plugin}${instead}${/[.!?]$/.test(instead) ? "" : "."}`,
      where: sourceText(node.source),
      deprecation: { kind: "deprecated", key },
    });
  }
  const inner = Object.entries(asObject(properties) ?? {});
  return [...own, ...inner.flatMap(([name, child]) => deprecatedBelow(child, [...path, name], of))];
}

async function issuesOf(schema: Schema, config: unknown): Promise<readonly SchemaIssue[]> {
  const is2020 = typeof schema.$schema === "string" && schema.$schema.includes("2020-12");
  const Ajv = is2020 ? (await import("ajv/dist/2020.js")).Ajv2020 : (await import("ajv")).Ajv;
  const check = new Ajv({ allErrors: true, strict: false, useDefaults: true, validateFormats: false }).compile(schema);
  return check(config) ? [] : (check.errors ?? []);
}

function problemOf(plugin: string, { instancePath, message, params }: SchemaIssue, tree: Dict): Problem {
  const parts = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const extra = typeof params.additionalProperty === "string" ? [params.additionalProperty] : [];
  const path = [...parts, ...extra];
  const node = nodeAt(tree, path) ?? nodeAt(tree, parts);
  const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(", ")}` : "";
  return {
    code: "VERL_CONFIG_PLUGIN_SECTION",
    key: pathText(path),
    what: extra.length > 0 ? `${plugin} has no setting ${pathText(path)}.` : `${pathText(path)} ${message}${allowed}.`,
    where: node ? sourceText(node.source) : undefined,
    why: `The schema of the plugin ${plugin} says so.`,
  };
}

function asObject(value: JsonValue | undefined): { readonly [key: string]: JsonValue } | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: JsonValue })
    : null;
}
