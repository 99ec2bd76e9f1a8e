import { writeFileSync } from "node:fs";
import path from "node:path";
import { readServers } from "../../../plugins/tools/mcp/servers-file.js";
import type { FuzzReader } from "../fuzz-reader.js";
import { nested, soup } from "./soup.js";

const WORDS = [
  '{"mcpServers":{',
  '"a":{',
  '"command":"x"',
  '"url":"http://x/${A}"',
  '"env":{"K":"${A}"}',
  "}",
  ",",
  "9",
];
const file = (server: unknown) => JSON.stringify({ mcpServers: { a: server } });

/** The list of MCP servers (`mcp_servers_config_path`). */
export const mcpServers: FuzzReader = {
  name: "mcp-servers",
  seeds: () => [
    file({ command: "npx", args: ["-y", "${A}"], env: { K: "${A}" }, cwd: "." }),
    file({ url: "https://user:pass@x.example/mcp?a=b", headers: { Authorization: "Bearer ${A}" }, type: "sse" }),
  ],
  words: WORDS,
  generated: soup(WORDS),
  hostile: {
    "a server called __proto__": () => '{"mcpServers":{"__proto__":{"command":"x"}}}',
    "an address that its variable breaks": () => file({ url: "http://${B}" }),
    "100,000 variables": () => file({ command: "${A}".repeat(100_000) }),
    "100,000 openings of variables": () => file({ command: "${A".repeat(100_000) }),
    "a deep value": () => `{"mcpServers":${nested("[", "]", 10_000)}}`,
  },
  async read(input, folder) {
    const list = path.join(folder, "servers.json");
    writeFileSync(list, input);
    await readServers(list, { A: "value", B: "[" });
  },
};
