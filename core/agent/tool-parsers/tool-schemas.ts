import type { JsonValue } from "../../host/types.js";

type JsonObject = { readonly [key: string]: JsonValue };

/** What parsers want to know of a tool. */
export interface ToolSchema {
  readonly name: string;
  /** Schemas of the parameters. */
  readonly properties: ReadonlyMap<string, JsonValue>;
  readonly required: readonly string[];
}

/** Reads OpenAI function tools, `{type: "function", function: {…}}` or the inner object alone; anything else is passed over. */
export function toolSchemas(tools: readonly JsonValue[]): readonly ToolSchema[] {
  return tools.flatMap((tool) => {
    const definition = objectOf(objectOf(tool)?.function) ?? objectOf(tool);
    if (typeof definition?.name !== "string") return [];
    const parameters = objectOf(definition.parameters);
    const properties = new Map(Object.entries(objectOf(parameters?.properties) ?? {}));
    const required = Array.isArray(parameters?.required) ? parameters.required : [];
    return [{ name: definition.name, properties, required: required.filter((name) => typeof name === "string") }];
  });
}

export function objectOf(value: JsonValue | undefined): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}
