import { reasonOf } from "../../../core/plugin.js";
import { toolErrors } from "../errors.js";

const PACKAGE = "@modelcontextprotocol/sdk";

/** The parts of the SDK that are used, loaded when an entry asks for MCP servers. @throws VERL_MCP_NOT_INSTALLED */
export async function loadSdk() {
  try {
    const [client, stdio, http, sse, shared, types] = await Promise.all([
      import("@modelcontextprotocol/sdk/client/index.js"),
      import("@modelcontextprotocol/sdk/client/stdio.js"),
      import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      import("@modelcontextprotocol/sdk/client/sse.js"),
      import("@modelcontextprotocol/sdk/shared/stdio.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
    return {
      Client: client.Client,
      StdioClientTransport: stdio.StdioClientTransport,
      StreamableHTTPClientTransport: http.StreamableHTTPClientTransport,
      SSEClientTransport: sse.SSEClientTransport,
      ReadBuffer: shared.ReadBuffer,
      serializeMessage: shared.serializeMessage,
      McpError: types.McpError,
      ErrorCode: types.ErrorCode,
    };
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw toolErrors.VERL_MCP_NOT_INSTALLED({
      what: `the package ${PACKAGE} cannot be found`,
      why: reasonOf(cause),
      cause,
    });
  }
}

export type McpSdk = Awaited<ReturnType<typeof loadSdk>>;

/** Not the SDK itself, rather than something that it needs. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === "ERR_MODULE_NOT_FOUND" && String(message).includes(`'${PACKAGE}'`);
}
