import path from "node:path";
import { z } from "zod";
import { TokenBucket } from "../../../core/host/index.js";
import type {
  Diagnosis,
  JsonObject,
  Tool,
  ToolFactory,
  ToolFactoryOptions,
  ToolResult,
  ToolSchemaDefinition,
} from "../../../core/plugin.js";
import { toolErrors } from "../errors.js";
import { readSection, refuseSections } from "../options.js";
import { diagnoseMcpServers } from "./diagnose.js";
import { toToolResult } from "./result.js";
import { loadSdk } from "./sdk.js";
import { McpCallFailed, McpServerConnection, type RemoteTool } from "./server.js";
import { readServers } from "./servers-file.js";

const seconds = z.number().min(0);
const config = z.strictObject({
  /** Calls a second, of all tools of the entry together. */
  rate_limit: z.number().gt(0).optional(),
  /** Seconds that a server may take to answer a call. */
  timeout: z.number().gt(0).default(30),
});
const mcp = z.strictObject({
  /** JSON with `mcpServers`, relative to the working directory. */
  mcp_servers_config_path: z.string(),
  /** Names of the tools that are offered; by default all. */
  tool_selected_list: z.array(z.string()).min(1).nullable().default(null),
  connect_attempts: z.int().min(1).default(10),
  connect_delay_s: seconds.default(2),
  connect_timeout_s: z.number().gt(0).default(30),
  reconnect_delay_s: seconds.default(1),
  /** `pass`: images and sound go on to the agent loop, which must take them; by default they are named in the text. */
  media: z.enum(["name", "pass"]).default("name"),
});

/** `mcp`: the tools of MCP servers, each under the name that its server gives it. */
export const mcpTools: ToolFactory = {
  name: "mcp",
  diagnose: diagnoseEntry,
  async create(options) {
    const { where, sections, schema, cwd, env, logger, signal } = options;
    refuseSections(sections, ["mcp"], where);
    if (schema !== null) {
      throw toolErrors.VERL_TOOL_BAD_OPTION({ what: "tool_schema: the servers say what their tools take", where });
    }
    const settings = { ...readSection(config, options.config, { name: "config", where }), ...sectionOf(options) };
    const specs = await readServers(path.resolve(cwd, settings.mcp_servers_config_path), env);
    const connection = {
      ...{ sdk: await loadSdk(), env, cwd, logger, signal },
      connectAttempts: settings.connect_attempts,
      connectDelayMs: settings.connect_delay_s * 1000,
      connectTimeoutMs: settings.connect_timeout_s * 1000,
      reconnectDelayMs: settings.reconnect_delay_s * 1000,
    };
    const servers = specs.map((spec) => new McpServerConnection(spec, connection));
    const dispose = async () => void (await Promise.all(servers.map((server) => server.close())));
    try {
      const offered = await Promise.all(
        servers.map(async (server) => (await server.listTools()).map((remote) => ({ server, remote }))),
      );
      const chosen = select(offered.flat(), settings.tool_selected_list, where);
      const bucket = settings.rate_limit === undefined ? null : bucketOf(settings.rate_limit);
      const shared = { bucket, timeoutMs: settings.timeout * 1000, passMedia: settings.media === "pass" };
      return { tools: chosen.map(({ server, remote }) => new McpTool(remote, server, shared)), dispose };
    } catch (error) {
      await dispose();
      throw error;
    }
  },
};

/** The file of servers is read as for a run; what else is wrong with the entry is reported by whoever starts one. */
async function diagnoseEntry({ sections, where, ...options }: DiagnosedEntry): Promise<readonly Diagnosis[]> {
  const section = mcp.safeParse(sections.mcp);
  if (section.success) return diagnoseMcpServers(section.data.mcp_servers_config_path, options);
  const detail = `${where}: its section mcp cannot be used: ${z.prettifyError(section.error).split("\n")[0]}`;
  return [
    { name: "MCP servers", status: "failed", detail, fix: "correct the entry; the guide on tools has an example" },
  ];
}

type DiagnosedEntry = Parameters<NonNullable<ToolFactory["diagnose"]>>[0];

/** As many calls at once as a second holds. */
const bucketOf = (perSecond: number) => new TokenBucket({ perSecond, capacity: Math.max(1, Math.floor(perSecond)) });

const sectionOf = ({ sections, where }: ToolFactoryOptions) => readSection(mcp, sections.mcp, { name: "mcp", where });

class McpTool implements Tool {
  readonly name: string;
  readonly schema: ToolSchemaDefinition;

  constructor(
    { name, description, inputSchema }: RemoteTool,
    private readonly server: McpServerConnection,
    private readonly shared: {
      readonly bucket: TokenBucket | null;
      readonly timeoutMs: number;
      readonly passMedia: boolean;
    },
  ) {
    const { $schema: _, ...parameters } = inputSchema;
    this.name = name;
    this.schema = {
      type: "function",
      function: { name, description: description ?? name, parameters: parameters as JsonObject },
    };
  }

  /** Waiting for the rate is no time of the server's. */
  async admit(signal: AbortSignal): Promise<() => void> {
    await this.shared.bucket?.take(1, signal);
    return () => {};
  }

  async execute(_instanceId: string, args: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    const { timeoutMs, passMedia } = this.shared;
    try {
      return toToolResult(await this.server.call(this.name, args, { timeoutMs, signal }), passMedia);
    } catch (error) {
      if (!(error instanceof McpCallFailed)) throw error;
      const text = `Error: the tool "${this.name}" failed: ${error.reason}`;
      return { text, isError: true, metrics: { api_request_error: 1 } };
    }
  }
}

interface Offered {
  readonly server: McpServerConnection;
  readonly remote: RemoteTool;
}

/** Those asked for, in the servers' order. */
function select(offered: readonly Offered[], wanted: readonly string[] | null, where: string): Offered[] {
  const names = offered.map(({ remote }) => remote.name);
  const missing = wanted?.filter((name) => !names.includes(name)) ?? [];
  if (missing.length > 0) {
    throw toolErrors.VERL_MCP_TOOL_NAMES({
      what: `no server has the tools ${missing.join(", ")}`,
      why: `there are ${names.join(", ") || "none"}`,
      where,
    });
  }
  const chosen = offered.filter(({ remote }) => wanted === null || wanted.includes(remote.name));
  if (chosen.length === 0) throw toolErrors.VERL_MCP_TOOL_NAMES({ what: "the servers have no tools", where });
  const owners = new Map<string, string>();
  for (const { server, remote } of chosen) {
    const owner = owners.get(remote.name);
    if (owner !== undefined) {
      throw toolErrors.VERL_MCP_TOOL_NAMES({
        what: `the servers "${owner}" and "${server.name}" both have a tool "${remote.name}"`,
        where,
      });
    }
    owners.set(remote.name, server.name);
  }
  return chosen;
}
