import type { ValidateFunction } from "ajv";
import { reasonOf } from "../../host/errors.js";
import type { JsonValue } from "../../host/types.js";
import { shown } from "../../host/util/shown.js";
import { agentErrors } from "../errors.js";
import { type Tool, whyNoTool } from "./tool.js";

/** Tools by name, in their order, with their checks of arguments. */
export class ToolSet {
  static readonly empty = new ToolSet([]);

  /** What the chat template is given. */
  readonly schemas: readonly JsonValue[];

  private constructor(private readonly entries: readonly { readonly tool: Tool; readonly check: ValidateFunction }[]) {
    this.schemas = entries.map(({ tool }) => tool.schema as unknown as JsonValue);
  }

  /**
   * `whereOf` says where a tool comes from, for errors.
   *
   * @throws VERL_AGENT_BAD_TOOL for what is no tool, a schema that cannot be used, or a name that occurs twice
   */
  static async of(tools: readonly Tool[], whereOf: (tool: Tool) => string | undefined = () => undefined) {
    if (tools.length === 0) return ToolSet.empty;
    const { Ajv2020 } = await import("ajv/dist/2020.js");
    // Only the first error: collecting all takes Ajv quadratic time where a schema refers to others.
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    const owners = new Map<string, string | undefined>();
    const entries = tools.map((tool) => {
      const why = whyNoTool(tool);
      const where = whereOf(tool);
      if (why !== null) throw agentErrors.VERL_AGENT_BAD_TOOL({ what: `${why} was given as a tool`, where });
      if (owners.has(tool.name)) {
        throw agentErrors.VERL_AGENT_BAD_TOOL({
          what: `two tools are named "${tool.name}"`,
          where: bothPlaces(owners.get(tool.name), where),
        });
      }
      owners.set(tool.name, where);
      let check: ValidateFunction;
      try {
        // A schema's $schema may name an older draft; what tools use of it is the same in all of them.
        const { $schema: _, ...parameters } = tool.schema.function.parameters ?? {};
        check = ajv.compile(parameters);
      } catch (error) {
        throw agentErrors.VERL_AGENT_BAD_TOOL({
          what: `the parameters of the tool "${tool.name}" are no JSON schema`,
          where,
          why: reasonOf(error),
        });
      }
      const { type } = tool.schema.function.parameters ?? {};
      if (type != null && ![type].flat().includes("object")) {
        throw agentErrors.VERL_AGENT_BAD_TOOL({
          what: `the parameters of the tool "${tool.name}" have the type ${shown(type)}, which no call fits`,
          where,
          why: "the arguments of a call are an object",
          fix: "give them the type object, and what they are now as one of its properties",
        });
      }
      return { tool, check };
    });
    return new ToolSet(entries);
  }

  get tools(): readonly Tool[] {
    return this.entries.map(({ tool }) => tool);
  }

  get names(): readonly string[] {
    return this.entries.map(({ tool }) => tool.name);
  }

  /** Those of these names, in the order of this set; unknown names are passed over. */
  select(names: readonly string[]): ToolSet {
    return new ToolSet(this.entries.filter(({ tool }) => names.includes(tool.name)));
  }

  find(name: string): Tool | null {
    return this.entries.find(({ tool }) => tool.name === name)?.tool ?? null;
  }

  /** What is wrong with the arguments of a call, for the model; null if they fit. */
  check(name: string, args: JsonValue): string | null {
    const check = this.entries.find(({ tool }) => tool.name === name)?.check;
    if (!check || check(args)) return null;
    // A choice of schemas has an error for each of them.
    return (check.errors ?? [])
      .map(({ instancePath, message, params }) => {
        const allowed = Array.isArray(params.allowedValues) ? `: ${JSON.stringify(params.allowedValues)}` : "";
        const extra = typeof params.additionalProperty === "string" ? ` (${params.additionalProperty})` : "";
        return `${instancePath.slice(1).replaceAll("/", ".") || "the arguments"} ${message}${allowed}${extra}`;
      })
      .join("; ");
  }
}

function bothPlaces(first: string | undefined, second: string | undefined): string | undefined {
  if (first === second || first === undefined || second === undefined) return first ?? second;
  return `${first}; ${second}`;
}
