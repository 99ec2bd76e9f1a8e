/**
 * `node holding-server.js MARKER FOLDER`: a tool `echo` that answers `k`, until the folder has a file `hold`: from then on it answers
 * never, and says so by a file `holding`. It stays when it is asked to go, and has a child that nobody waits for.
 */
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const [marker, folder] = process.argv.slice(2);
process.on("SIGTERM", () => {});
process.on("SIGINT", () => {});
setInterval(() => {}, 1000);
spawn(process.execPath, ["-e", `setInterval(() => {}, 1000) // ${marker}`], { stdio: "inherit" });

const server = new McpServer({ name: "holding", version: "1.0.0" });
server.registerTool("echo", { description: "Echoes." }, async () => {
  writeFileSync(path.join(folder, "called"), "");
  if (existsSync(path.join(folder, "hold"))) {
    writeFileSync(path.join(folder, "holding"), "");
    await new Promise(() => {});
  }
  return { content: [{ type: "text", text: "k" }] };
});
await server.connect(new StdioServerTransport());
