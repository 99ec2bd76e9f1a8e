import { callerPlace } from "../../host/error-place.js";
import { reasonOf } from "../../host/errors.js";
import {
  aFunction,
  anObject,
  aText,
  maybeEmpty,
  type OptionForms,
  requireArgument,
  requireOptions,
} from "../../host/util/given-options.js";
import { isObject } from "../../host/util/plain-object.js";
import { agentErrors } from "../errors.js";
import { BadToolArguments } from "./bad-arguments.js";
import type { JsonObject, Tool, ToolResult, ToolSession } from "./tool.js";

/** A schema object of Zod 4.2+, ArkType, … that validates and can be written as JSON schema (https://standardschema.dev). */
export interface StandardSchema<T = unknown> {
  readonly "~standard": {
    readonly validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

export interface FunctionToolOptions<P> {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of the arguments object, or a schema object of a library. */
  readonly parameters: P;
}

/** What a function tool's function gets besides its arguments. */
export interface FunctionToolContext {
  readonly signal: AbortSignal;
  readonly session: ToolSession;
}

/**
 * A tool from a function. The function returns a text, a {@link ToolResult}, or any other value, which the model reads as
 * JSON. With a schema object of a library it gets the value that the schema parsed.
 */
export function functionTool<T>(
  call: (args: T, context: FunctionToolContext) => unknown,
  options: FunctionToolOptions<StandardSchema<T>>,
): Tool;
export function functionTool(
  call: (args: JsonObject, context: FunctionToolContext) => unknown,
  options: FunctionToolOptions<JsonObject>,
): Tool;
export function functionTool(
  call: (args: never, context: FunctionToolContext) => unknown,
  options: FunctionToolOptions<StandardSchema | JsonObject>,
): Tool {
  requireArgument("functionTool", "the first argument", call, aFunction);
  const named =
    isObject(options) && typeof options.name === "string" ? `functionTool ("${options.name}")` : "functionTool";
  requireOptions<FunctionToolOptions<unknown>>(named, options, OPTIONS);
  const { name, description, parameters } = options;
  return {
    name,
    schema: { type: "function", function: { name, description, parameters: jsonSchemaOf(name, parameters) } },
    async execute(_instanceId, args, signal, session) {
      const parsed = isStandard(parameters) ? await parse(parameters, args) : args;
      return toToolResult(await call(parsed as never, { signal, session }));
    },
  };
}

const OPTIONS: OptionForms<FunctionToolOptions<unknown>> = {
  name: aText,
  description: maybeEmpty,
  // ArkType's schemas are functions.
  parameters: (value) => (typeof value === "function" ? null : anObject(value)),
};

function jsonSchemaOf(name: string, parameters: StandardSchema | JsonObject): JsonObject {
  if (!isStandard(parameters)) return parameters;
  const write = parameters["~standard"].jsonSchema;
  if (!write) {
    throw agentErrors.VERL_AGENT_BAD_TOOL({
      what: `the parameters of the tool "${name}" are a schema object that cannot be written as JSON schema`,
      where: callerPlace() ?? undefined,
      fix: "use a schema library that can (Zod from 4.2 on), or give a JSON schema",
    });
  }
  try {
    const { $schema: _, ...schema } = write.input({ target: "draft-2020-12" });
    return schema as JsonObject;
  } catch (error) {
    throw agentErrors.VERL_AGENT_BAD_TOOL({
      what: `the parameters of the tool "${name}" cannot be written as JSON schema`,
      where: callerPlace() ?? undefined,
      why: reasonOf(error),
      fix: "take types that JSON has: a model writes arguments as JSON, a date as a text",
      cause: error,
    });
  }
}

async function parse(schema: StandardSchema, args: JsonObject): Promise<unknown> {
  const result = await schema["~standard"].validate(args);
  if (!result.issues) return result.value;
  throw new BadToolArguments(
    result.issues.map(({ message, path }) => `${pathText(path) || "the arguments"}: ${message}`).join("; "),
  );
}

/** Steps are keys, or objects with one. */
function pathText(path: readonly unknown[] = []): string {
  return path.map((step) => String(isObject(step) && "key" in step ? step.key : step)).join(".");
}

function isStandard(schema: StandardSchema | JsonObject): schema is StandardSchema {
  return "~standard" in schema;
}

const RESULT_KEYS = ["text", "media", "isError", "reward", "metrics"];

function toToolResult(value: unknown): ToolResult {
  if (typeof value === "string") return { text: value };
  if (typeof value === "object" && value !== null && "text" in value && typeof value.text === "string") {
    if (Object.keys(value).every((key) => RESULT_KEYS.includes(key))) return value as ToolResult;
  }
  // Its source is no answer.
  if (typeof value === "function" || typeof value === "symbol") throw new Error(`it returned a ${typeof value}`);
  return { text: value === undefined ? "" : (JSON.stringify(value) ?? String(value)) };
}
