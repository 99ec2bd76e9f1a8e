import { defineErrors } from "../../core/host/basics.js";

export const toolErrors = defineErrors({
  VERL_TOOL_BAD_OPTION: {
    summary: "An entry in the list of tools has an option that is unknown or has a wrong value",
    fix: "correct the entry; the guide's page on tools lists the options",
  },
  VERL_MCP_NOT_INSTALLED: {
    summary: "Tools of MCP servers need a package that is not installed",
    fix: "install it: `npm install @modelcontextprotocol/sdk@1`",
  },
  VERL_MCP_BAD_SERVERS: {
    summary: "The file of MCP servers cannot be used",
    fix: 'write {"mcpServers": {"name": {"command": …, "args": […]}, "other": {"url": …}}}',
  },
  VERL_MCP_NO_CONNECTION: {
    summary: "An MCP server could not be started or reached, or did not say what tools it has",
    fix: "try the server's command or address by hand; mcp.connect_timeout_s is the time of a connection with its list of tools",
  },
  VERL_MCP_NO_PROGRAM: {
    summary: "The program of an MCP server is not there, or may not be run",
    fix: "install it, or correct command (and cwd) of the server in the file of MCP servers",
  },
  VERL_MCP_TOOL_NAMES: {
    summary: "The tools of the MCP servers do not have the names that are asked for, or have one name twice",
    fix: "name tools that there are in mcp.tool_selected_list, and each name of one server only",
  },
});
