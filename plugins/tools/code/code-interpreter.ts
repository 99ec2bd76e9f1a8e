import { z } from "zod";
import { Semaphore } from "../../../core/host/index.js";
import {
  BadToolArguments,
  isVerlError,
  type JsonObject,
  type JsonValue,
  type Sandbox,
  type SandboxLimits,
  sandboxErrors,
  type Tool,
  type ToolFactory,
  type ToolFactoryOptions,
  type ToolSchemaDefinition,
} from "../../../core/plugin.js";
import { languageMissing } from "../../../core/sandbox/index.js";
import { toolErrors } from "../errors.js";
import { readSection, refuseSections } from "../options.js";
import { resultText } from "./result-text.js";

const positive = z.number().gt(0);
const config = z.strictObject({
  /** What the model may write; with several it names one in each call. */
  languages: z.array(z.string()).min(1).default(["python"]),
  /** Seconds that a program may take. Limits that are not set are those of `reward.sandbox`. */
  timeout: positive.optional(),
  memory_limit_mb: positive.optional(),
  processes: positive.optional(),
  files_limit_mb: positive.optional(),
  output_limit_kb: positive.optional(),
  /** Files that a program finds as the one before it in the trajectory left them. */
  keep_files: z.array(z.string()).default([]),
});

/** `code_interpreter`: the model writes a program, the run's sandbox runs it, and the model reads what it printed. */
export const codeInterpreter: ToolFactory = {
  name: "code_interpreter",
  async create(options) {
    const { schema, where, sections } = options;
    refuseSections(sections, [], where);
    const settings = readSection(config, options.config, { name: "config", where });
    const sandbox = await openSandbox(options);
    for (const language of settings.languages) {
      if (!sandbox.languages.includes(language)) throw languageMissing(sandbox, language, where);
    }
    return { tools: [new CodeTool(schemaOf(schema, settings.languages, where), sandbox, settings)] };
  },
};

class CodeTool implements Tool {
  readonly name: string;
  readonly #places: Semaphore;
  readonly #limits: Partial<SandboxLimits>;

  constructor(
    readonly schema: ToolSchemaDefinition,
    private readonly sandbox: Sandbox,
    private readonly settings: z.infer<typeof config>,
  ) {
    this.name = schema.function.name;
    this.#places = new Semaphore(sandbox.maxConcurrent);
    this.#limits = limitsOf(settings);
  }

  /** Waiting for a place in the sandbox is no time of the program's. */
  admit(signal: AbortSignal): Promise<() => void> {
    return this.#places.acquire(signal);
  }

  async execute(_instanceId: string, args: JsonObject, signal: AbortSignal, session: { state: Map<string, unknown> }) {
    const { keep_files: keep } = this.settings;
    const program = { language: this.#language(args.language), code: textOf("code", args.code) };
    const key = `${this.name}.files`;
    const kept = session.state.get(key) as Readonly<Record<string, Uint8Array>> | undefined;
    const result = await this.sandbox.run(
      {
        ...program,
        limits: this.#limits,
        collect: keep,
        ...(kept ? { files: kept } : {}),
      },
      { signal },
    );
    if (keep.length > 0) session.state.set(key, { ...kept, ...result.files });
    return { text: resultText(result, this.#limits), metrics: { [result.outcome.replaceAll("-", "_")]: 1 } };
  }

  /** The sandbox runs more languages than the entry allows, and a schema need not forbid what it does not name. */
  #language(given: JsonValue | undefined): string {
    const { languages } = this.settings;
    if (given === undefined && languages.length === 1) return languages[0];
    const language = textOf("language", given);
    if (languages.includes(language)) return language;
    throw new BadToolArguments(`language must be one of ${JSON.stringify(languages)}`);
  }
}

function textOf(name: string, given: JsonValue | undefined): string {
  if (typeof given === "string") return given;
  throw new BadToolArguments(given === undefined ? `${name} is missing` : `${name} must be a text`);
}

async function openSandbox({ sandbox, where }: ToolFactoryOptions): Promise<Sandbox> {
  try {
    return await sandbox();
  } catch (error) {
    if (!isVerlError(error) || error.code !== "VERL_SANDBOX_UNAVAILABLE") throw error;
    const { what, why, fix } = error;
    throw sandboxErrors.VERL_SANDBOX_UNAVAILABLE({ what, why, fix, where, cause: error });
  }
}

function limitsOf(settings: z.infer<typeof config>): Partial<SandboxLimits> {
  const { timeout, memory_limit_mb, processes, files_limit_mb, output_limit_kb } = settings;
  return {
    ...(timeout === undefined ? {} : { wallMs: timeout * 1000, cpuMs: timeout * 1000 }),
    ...(memory_limit_mb === undefined ? {} : { memoryMiB: memory_limit_mb }),
    ...(processes === undefined ? {} : { processes }),
    ...(files_limit_mb === undefined ? {} : { filesMiB: files_limit_mb }),
    ...(output_limit_kb === undefined ? {} : { outputBytes: output_limit_kb * 1024 }),
  };
}

function schemaOf(
  given: ToolSchemaDefinition | null,
  languages: readonly string[],
  where: string,
): ToolSchemaDefinition {
  if (given === null) return ownSchema(languages);
  const { properties } = (given.function?.parameters ?? {}) as { readonly properties?: JsonObject };
  for (const name of languages.length > 1 ? ["code", "language"] : ["code"]) {
    if (properties !== undefined && Object.hasOwn(properties, name)) continue;
    throw toolErrors.VERL_TOOL_BAD_OPTION({ what: `tool_schema: the parameters have no property ${name}`, where });
  }
  const { enum: offered } = (properties?.language ?? {}) as { readonly enum?: unknown };
  const beyond = Array.isArray(offered) ? offered.filter((name) => !languages.includes(name)) : [];
  if (beyond.length > 0) {
    throw toolErrors.VERL_TOOL_BAD_OPTION({
      what: `tool_schema: it offers the languages ${beyond.map(String).join(", ")}, which config.languages does not allow`,
      where,
    });
  }
  return given;
}

function ownSchema(languages: readonly string[]): ToolSchemaDefinition {
  const code = { type: "string", description: "The whole program. Only what it prints is seen." };
  const language = { type: "string", enum: [...languages], description: "What the program is written in." };
  const several = languages.length > 1;
  return {
    type: "function",
    function: {
      name: "code_interpreter",
      description: `Runs a ${several ? "" : `${languages[0]} `}program by itself, without network, and returns its exit code and what it printed.`,
      parameters: {
        type: "object",
        properties: several ? { language, code } : { code },
        required: several ? ["language", "code"] : ["code"],
      },
    },
  };
}
