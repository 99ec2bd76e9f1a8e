/** `node dying-server.js MARKER`: a tool `echo` that answers `k` three times; the fourth call ends the server. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

let calls = 0;
const server = new McpServer({ name: "dying", version: "1.0.0" });
server.registerTool("echo", { description: "Echoes." }, () => {
  if (++calls > 3) {
    // Earlier answers are on their way.
    setTimeout(() => process.exit(1), 50);
    return new Promise<never>(() => {});
  }
  return { content: [{ type: "text", text: "k" }] };
});
await server.connect(new StdioServerTransport());
