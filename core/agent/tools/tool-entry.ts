import { isObject } from "../../host/util/plain-object.js";
import { shown } from "../../host/util/shown.js";
import { agentErrors } from "../errors.js";
import { isExportReference, readListFile } from "../list-file.js";
import type { JsonObject, ToolSchemaDefinition } from "./tool.js";

/** An entry of `tool_config_path`: a class of the user's, or a registered tool. */
export type ToolEntry =
  | {
      readonly kind: "class";
      readonly where: string;
      /** `file#Export`. */
      readonly target: string;
      readonly config: JsonObject;
      readonly schema: unknown;
    }
  | {
      readonly kind: "registered";
      readonly where: string;
      readonly name: string;
      readonly config: JsonObject;
      readonly schema: ToolSchemaDefinition | null;
      readonly sections: JsonObject;
    };

/** The entries of a YAML list of tools. @throws VERL_AGENT_BAD_TOOL */
export async function readToolEntries(file: string): Promise<ToolEntry[]> {
  const content = await readListFile(file, (what, why) => badToolFile(file, what, why));
  const list = (content as { readonly tools?: unknown } | null)?.tools;
  if (!Array.isArray(list)) throw badToolFile(file, "it has no list tools");
  return list.map((item: unknown, i) => entryOf(item, `entry ${i + 1}`, file));
}

function entryOf(item: unknown, entry: string, file: string): ToolEntry {
  const refuse = (what: string) => badToolFile(file, `${entry} ${what}`);
  const { class_name: target, name, config, tool_schema: schema, ...sections } = isObject(item) ? item : {};
  const given = config ?? {};
  if (!isObject(given)) throw refuse("has a config that is no section");
  const { type = name ?? "native", ...settings } = given;
  const where = `${file}, ${entry}`;
  if (type === "native") {
    if (name !== undefined) throw refuse("has a name and the type native; a class has no name of its own");
    if (!isExportReference(target)) {
      throw refuse("has neither a class_name of the form file#Export nor the name of a registered tool");
    }
    return { kind: "class", where, target, config: { type, ...settings } as JsonObject, schema };
  }
  if (typeof type !== "string" || type === "") throw refuse(`has the type ${shown(type)}, which is no name`);
  if (name !== undefined && name !== type) throw refuse(`has the name ${shown(name)} and the type ${shown(type)}`);
  // verl's lists name a Python class beside the type, which says the same.
  if (target !== undefined && !String(target).startsWith("verl.")) {
    throw refuse(`has a class_name and the type ${shown(type)}; tools of your own classes have the type native`);
  }
  if (schema != null && !isObject(schema)) throw refuse("has a tool_schema that is no section");
  return {
    kind: "registered",
    where,
    name: type,
    config: settings as JsonObject,
    schema: (schema ?? null) as unknown as ToolSchemaDefinition | null,
    sections: sections as JsonObject,
  };
}

export function badToolFile(where: string, what: string, why?: string) {
  return agentErrors.VERL_AGENT_BAD_TOOL({ what: `the list of tools cannot be used: ${what}`, where, why });
}
