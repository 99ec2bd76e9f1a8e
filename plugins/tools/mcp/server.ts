import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { pause, timerMs, withDeadline } from "../../../core/host/index.js";
import { type Logger, reasonOf } from "../../../core/plugin.js";
import { toolErrors } from "../errors.js";
import { boundedFetch, TOO_MUCH } from "./bounded-fetch.js";
import { EndlessList, listAllTools } from "./list-all-tools.js";
import { shortReason } from "./reason.js";
import type { McpSdk } from "./sdk.js";
import type { ServerSpec } from "./servers-file.js";
import { StdioTransport, serverEnv } from "./stdio-transport.js";

export interface ServerOptions {
  readonly sdk: McpSdk;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly logger: Logger;
  /** Longest time of a connection with its whole list of tools. */
  readonly connectTimeoutMs: number;
  /** Tries before the run is refused, and the pause between them. */
  readonly connectAttempts: number;
  readonly connectDelayMs: number;
  /** Least time between two connections to a server that was lost. */
  readonly reconnectDelayMs: number;
  readonly signal: AbortSignal;
}

export type RemoteTool = Awaited<ReturnType<Client["listTools"]>>["tools"][number];
export type RemoteResult = Awaited<ReturnType<Client["callTool"]>>;

/** A call that got no result: `reason` is for the model and holds nothing of the connection's. */
export class McpCallFailed extends Error {
  constructor(
    readonly reason: string,
    cause: unknown,
  ) {
    super(reason, { cause });
  }
}

/**
 * One MCP server for a whole run. A connection that is lost is made anew by the next call, at most once in
 * `reconnectDelayMs`; calls in between fail at once.
 */
export class McpServerConnection {
  #client: Promise<Client> | null = null;
  #lostAt = Number.NEGATIVE_INFINITY;
  #lost = 0;
  /** Why the last connection was ended on this side, where that was not asked for. */
  #lostBecause: string | null = null;
  /** Whether its tools are known: before, a connection that ends is an attempt that failed. */
  #listed = false;
  #closed = false;

  constructor(
    readonly spec: ServerSpec,
    private readonly options: ServerOptions,
  ) {}

  get name(): string {
    return this.spec.name;
  }

  /** Connects, tries again where that fails, and gives the tools. @throws VERL_MCP_NO_CONNECTION */
  async listTools(): Promise<RemoteTool[]> {
    const { connectAttempts, connectDelayMs, signal, logger } = this.options;
    for (let attempt = 1; ; attempt++) {
      try {
        const tools = await this.#list();
        this.#listed = true;
        return tools;
      } catch (error) {
        await this.#drop();
        signal.throwIfAborted();
        const why = shortReason(error);
        if (isNoProgram(error) && this.spec.kind === "stdio") {
          throw toolErrors.VERL_MCP_NO_PROGRAM({
            what: `the MCP server "${this.name}" cannot be started: there is no program ${this.spec.command} that can be run`,
            why,
            cause: error,
          });
        }
        if (attempt >= connectAttempts || isHopeless(error)) {
          const attempts = attempt === 1 ? "1 attempt" : `${attempt} attempts`;
          throw toolErrors.VERL_MCP_NO_CONNECTION({
            what: `the MCP server "${this.name}" (${this.#place()}) gave no list of tools in ${attempts}`,
            why,
            cause: error,
          });
        }
        logger.debug(`MCP server "${this.name}", attempt ${attempt}: ${why}`);
        await pause(connectDelayMs, signal);
      }
    }
  }

  /** @throws McpCallFailed whatever goes wrong, the signal's reason apart */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<RemoteResult> {
    const { McpError, ErrorCode } = this.options.sdk;
    let opening: Promise<Client> | null = null;
    try {
      opening = this.#current();
      const client = await opening;
      return await client.callTool({ name, arguments: { ...args } }, undefined, {
        timeout: timerMs(timeoutMs),
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof McpCallFailed) throw error;
      const server = `the MCP server "${this.name}"`;
      if (!(error instanceof McpError)) {
        // A broken connection, or a session that the server no longer knows. Another call may have a new one already.
        if (this.#client === opening) {
          if (this.spec.kind === "stdio") this.#tellEnd();
          await this.#drop();
        }
        this.options.logger.debug(`${server}: ${reasonOf(error)}`);
        throw new McpCallFailed(`the connection to ${server} was lost`, error);
      }
      if (error.code === ErrorCode.RequestTimeout) {
        throw new McpCallFailed(`${server} did not answer within ${timeoutMs / 1000} s`, error);
      }
      if (error.code === ErrorCode.ConnectionClosed) {
        throw new McpCallFailed(`${server} has ended${this.#lostBecause ? `: ${this.#lostBecause}` : ""}`, error);
      }
      throw new McpCallFailed(error.message, error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#drop();
  }

  async #list(): Promise<RemoteTool[]> {
    const { signal, connectTimeoutMs } = this.options;
    const begun = performance.now();
    const client = await this.#open();
    const listing = listAllTools(
      (cursor) => client.listTools({ cursor }, { timeout: timerMs(connectTimeoutMs) }),
      () => this.#client === null || signal.aborted,
    );
    const late = () => new Error(`its list of tools was not complete within ${connectTimeoutMs / 1000} s`);
    return withDeadline(listing, Math.max(1, connectTimeoutMs - (performance.now() - begun)), late);
  }

  #current(): Promise<Client> {
    if (this.#client) return this.#client;
    const server = `the MCP server "${this.name}"`;
    if (this.#closed) throw new McpCallFailed(`${server} is closed`, null);
    if (performance.now() - this.#lostAt < this.options.reconnectDelayMs) {
      throw new McpCallFailed(`${server} is not running`, null);
    }
    this.#lostAt = performance.now();
    return this.#open();
  }

  #open(): Promise<Client> {
    const { sdk, connectTimeoutMs, logger } = this.options;
    const client = new sdk.Client({ name: "verl-ts", version: "1" });
    let overflow: string | null = null;
    const transport = this.#transport(() => {
      overflow = TOO_MUCH;
      // Whoever waits for its answer would wait for long.
      void client.close().catch(() => {});
    });
    const opening = (async () => {
      try {
        await client.connect(transport, { timeout: timerMs(connectTimeoutMs) });
      } catch (error) {
        await client.close().catch(() => {});
        throw withOutput(error, transport);
      }
      return client;
    })();
    client.onclose = () => {
      this.#lostBecause = transport instanceof StdioTransport ? transport.overflow : overflow;
      if (this.#client !== opening) return;
      this.#client = null;
      if (this.#closed) return;
      this.#lostAt = performance.now();
      this.#tellEnd();
    };
    client.onerror = (error) => logger.debug(`MCP server "${this.name}": ${reasonOf(error)}`);
    this.#client = opening;
    opening.catch(() => {
      if (this.#client === opening) this.#client = null;
    });
    return opening;
  }

  /** A server that ends again and again is one line, not thousands. */
  #tellEnd(): void {
    if (!this.#listed || this.#lost++ > 0) return;
    const why = this.#lostBecause ? ` (${this.#lostBecause})` : "";
    this.options.logger.warn(`the MCP server "${this.name}" ended${why}; a later call starts it again`);
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.then((open) => open.close()).catch(() => {});
  }

  #transport(onOverflow: () => void): Transport {
    const { spec } = this;
    const { sdk, env, cwd } = this.options;
    if (spec.kind === "stdio") {
      const place = { env: serverEnv(env, spec.env), cwd: spec.cwd ?? cwd };
      // Windows has no process groups, and needs a shell's rules to find a command.
      if (process.platform === "win32")
        return new sdk.StdioClientTransport({ ...spec, ...place, args: [...spec.args] });
      return new StdioTransport(spec, { sdk, ...place });
    }
    const options = { requestInit: { headers: { ...spec.headers } }, fetch: boundedFetch(onOverflow) };
    // Their session ids are optional in another way than the interface's.
    if (spec.kind === "http") return new sdk.StreamableHTTPClientTransport(spec.url, options) as Transport;
    return new sdk.SSEClientTransport(spec.url, options);
  }

  /** Without arguments, parameters and passwords, which may be secrets. */
  #place(): string {
    const { spec } = this;
    return spec.kind === "stdio" ? spec.command : `${spec.url.origin}${spec.url.pathname}`;
  }
}

const codeOf = (error: unknown) => (error as { readonly code?: unknown }).code;

/** Trying again does not install a program. */
const isNoProgram = (error: unknown) => codeOf(error) === "ENOENT" || codeOf(error) === "EACCES";

/** Nor does it give a right, or mend a list. */
function isHopeless(error: unknown): boolean {
  const code = codeOf(error);
  return code === 401 || code === 403 || error instanceof EndlessList;
}

/** With what a program told on its standard output and error, which is where it says why it does not serve. */
function withOutput(error: unknown, transport: Transport): unknown {
  if (!(transport instanceof StdioTransport)) return error;
  const { overflow, noise } = transport;
  const stderr = transport.stderr.trim();
  const said = [overflow, noise, stderr === "" ? null : `it printed: ${stderr.slice(-500)}`].filter(
    (part) => part !== null,
  );
  if (said.length === 0) return error;
  return Object.assign(new Error([shortReason(error), ...said].join("; "), { cause: error }), {
    code: (error as { readonly code?: unknown }).code,
  });
}
