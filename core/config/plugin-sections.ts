import type { JsonValue } from "../host/types.js";
import type { Problem } from "./problems.js";
import { suggestName } from "./suggest-name.js";
import { type Dict, nodeAt, sourceText, toPlain } from "./tree.js";

/** A plugin of the run: its name and the JSON Schema of its section `plugin_config.<name>`, if it has one. */
export interface PluginSchema {
  readonly name: string;
  readonly configSchema: Readonly<Record<string, JsonValue>> | null;
}

const ROOT = "plugin_config";

/**
 * Checks `plugin_config.<plugin>` against each plugin's schema. JSON Schema rather than zod, so that two copies of a
 * validation library never meet. Defaults of the schema fill the section.
 */
export async function checkPluginSections(
  tree: Dict,
  plugins: readonly PluginSchema[],
): Promise<{ values: Record<string, unknown>; problems: Problem[] }> {
  const section = tree.entries.get(ROOT);
  const values = section?.kind === "dict" ? (toPlain(section) as Record<string, unknown>) : {};
  const problems: Problem[] = [];
  const names = plugins.map((plugin) => plugin.name);
  for (const name of Object.keys(values)) {
    if (names.includes(name)) continue;
    const node = nodeAt(tree, [ROOT, name]);
    problems.push({
      code: "VERL_CONFIG_PLUGIN_SECTION",
      key: `${ROOT}.${name}`,
      what: `${ROOT}.${name} configures a plugin that is not loaded.${suggestName(name, names)}`,
      where: node ? sourceText(node.source) : undefined,
      why: names.length > 0 ? `Loaded: ${names.join(", ")}.` : "No plugins are loaded.",
      fix: "Remove the section, or load the plugin (plugins in the file, or VERL_USE_EXTERNAL_MODULES).",
    });
  }
  for (const { name, configSchema } of plugins) {
    if (!configSchema) continue;
    values[name] ??= {};
    problems.push(...(await checkSection(tree, name, configSchema, values[name])));
  }
  return { values, problems };
}

interface SchemaIssue {
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

async function checkSection(
  tree: Dict,
  name: string,
  schema: Readonly<Record<string, JsonValue>>,
  value: unknown,
): Promise<Problem[]> {
  const key = `${ROOT}.${name}`;
  let issues: readonly SchemaIssue[];
  try {
    issues = await validateJson(schema, value);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [
      {
        code: "VERL_CONFIG_PLUGIN_SECTION",
        key,
        what: `The configSchema of ${name} cannot be used.`,
        why,
        fix: `Tell the author of ${name}.`,
      },
    ];
  }
  return issues.map(({ instancePath, message, params }) => {
    const parts = instancePath
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const extra = typeof params.additionalProperty === "string" ? [params.additionalProperty] : [];
    const path = [ROOT, name, ...parts, ...extra];
    const node = nodeAt(tree, path) ?? nodeAt(tree, [ROOT, name]);
    const allowed = Array.isArray(params.allowedValues) ? ` (${params.allowedValues.join(", ")})` : "";
    return {
      code: "VERL_CONFIG_PLUGIN_SECTION",
      key: path.join("."),
      what:
        extra.length > 0
          ? `${name} has no setting ${[...parts, ...extra].join(".")}.`
          : `${path.join(".")} ${message}${allowed}.`,
      where: node ? sourceText(node.source) : undefined,
    } satisfies Problem;
  });
}

async function validateJson(
  schema: Readonly<Record<string, JsonValue>>,
  value: unknown,
): Promise<readonly SchemaIssue[]> {
  const is2020 = typeof schema.$schema === "string" && schema.$schema.includes("2020-12");
  const Ajv = is2020 ? (await import("ajv/dist/2020.js")).Ajv2020 : (await import("ajv")).Ajv;
  const check = new Ajv({ allErrors: true, strict: false, useDefaults: true, validateFormats: false }).compile(schema);
  return check(value) ? [] : (check.errors ?? []);
}
