import type { Awaitable, DiagnoseOptions, Diagnosis, Logger } from "../../host/types.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { JsonObject, Tool, ToolSchemaDefinition } from "./tool.js";

/** An entry of `tool_config_path` that asks for registered tools, and what these may use of the run. */
export interface ToolFactoryOptions {
  /** The entry's `config`, without `type`. */
  readonly config: JsonObject;
  /** The entry's `tool_schema`, unchecked; null where it has none. */
  readonly schema: ToolSchemaDefinition | null;
  /** Further members of the entry, by name. */
  readonly sections: JsonObject;
  /** Where the entry stands, for messages: `file, entry 2`. */
  readonly where: string;
  /** Base of relative paths: the user's working directory. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The run's sandbox, made when somebody first asks; rejects with `VERL_SANDBOX_UNAVAILABLE`. */
  readonly sandbox: () => Promise<Sandbox>;
  readonly logger: Logger;
  /** Aborted when the run is. */
  readonly signal: AbortSignal;
}

/** What an entry amounts to: one tool, or several that share a server. */
export interface ToolGroup {
  readonly tools: readonly Tool[];
  /** Called once, when the run ends, however it ends: whatever the tools started ends here. */
  dispose?(): Awaitable<void>;
}

/** Registered by name; `name` of an entry, or verl's `config.type`, asks for it. Entries are made once per run. */
export interface ToolFactory {
  readonly name: string;
  /** Rejects for an entry that it cannot use: a run must not start without a tool that it was promised. */
  create(options: ToolFactoryOptions): Awaitable<ToolGroup>;
  /**
   * What `verl doctor` shows about an entry: whether its servers answer, whether its programs are there. Must not throw, starts
   * none of the user's programs and leaves nothing running.
   */
  diagnose?(
    entry: DiagnoseOptions & Pick<ToolFactoryOptions, "config" | "schema" | "sections" | "where">,
  ): Awaitable<readonly Diagnosis[]>;
}
