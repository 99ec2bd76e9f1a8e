import { definePlugin } from "../../core/plugin.js";
import { codeInterpreter } from "./code/code-interpreter.js";
import { mcpTools } from "./mcp/mcp-tools.js";

/** Tools to name in `tool_config_path`: `code_interpreter`, and `mcp`, those of MCP servers. */
export const toolsPlugin = definePlugin({
  name: "verl-ts/tools",
  apiVersion: "^1.0.0",
  provides: ["tool"],
  register(host) {
    host.tools.register(codeInterpreter);
    host.tools.register(mcpTools);
  },
});

export { codeInterpreter, mcpTools };
