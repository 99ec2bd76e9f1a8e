import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { mcpTools } from "../../../../plugins/tools/index.js";
import { deadAddress, HttpServer } from "../../../core/reward/servers/http-server.js";

describe("plugins/tools/mcp, as doctor sees it", () => {
  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(path.join(tmpdir(), "verl-mcp-"));
  });
  afterEach(() => rm(cwd, { recursive: true }));

  async function look(
    mcpServers: Record<string, unknown>,
    env: Record<string, string> = { PATH: process.env.PATH ?? "" },
  ) {
    await writeFile(path.join(cwd, "servers.json"), JSON.stringify({ mcpServers }));
    const sections = { mcp: { mcp_servers_config_path: "./servers.json" } };
    const entry = { config: {}, schema: null, sections, where: "tools.yaml, entry 1" };
    return (await mcpTools.diagnose?.({ ...entry, cwd, env, timeoutMs: 5000 })) ?? [];
  }

  it("looks for a program where the system would, and does not start it", async () => {
    const findings = await look({
      here: { command: "node", args: ["-e", "require('fs').writeFileSync('started', '')"] },
      gone: { command: "no-such-program" },
      beside: { command: "./serve.sh" },
    });
    expect(findings.map(({ name, status }) => `${name} ${status}`)).to.deep.equal([
      "MCP server here ok",
      "MCP server gone failed",
      "MCP server beside failed",
    ]);
    expect(findings[0].detail).to.match(/node; it was not started$/);
    expect(findings[1].detail).to.equal("there is no program no-such-program on the PATH");
    expect(findings[2].detail).to.equal(`there is no program ./serve.sh in ${cwd}`);
  });

  it("asks an address to begin a session, and ends it", async () => {
    await using server = await HttpServer.start(({ method }) =>
      method === "POST" ? { headers: { "mcp-session-id": "s1" }, body: { result: {} } } : { status: 204, body: "" },
    );
    const headers = { Authorization: "Bearer $" + "{TOKEN}" };
    const [finding] = await look({ web: { url: `${server.address}/mcp`, headers } }, { TOKEN: "s3cret" });
    expect(finding).to.include({ status: "ok" });
    expect(server.received.map(({ method, headers: sent }) => [method, sent["mcp-session-id"]])).to.deep.equal([
      ["POST", undefined],
      ["DELETE", "s1"],
    ]);
    expect(server.received[0].body.method).to.equal("initialize");
    expect(server.received[0].headers.authorization).to.equal("Bearer s3cret");
    expect(JSON.stringify(finding)).not.to.contain("s3cret");
  });

  it("says why an address is none of a server's", async () => {
    await using server = await HttpServer.start(({ path: at }) => ({ status: at === "/closed" ? 401 : 404 }));
    const findings = await look({
      dead: { url: `${await deadAddress()}/mcp` },
      closed: { url: `${server.address}/closed` },
      wrong: { url: `${server.address}/elsewhere`, type: "sse" },
    });
    const details = findings.map(({ status, detail }) => `${status}: ${detail.replace(/127\.0\.0\.1:\d+/, "HOST")}`);
    expect(details).to.deep.equal([
      "failed: HOST: nothing listens there (connection refused)",
      "failed: HOST refuses with 401",
      "failed: HOST answers with 404, which is no MCP session (sse)",
    ]);
    for (const { fix } of findings) expect(fix).to.contain("servers.json");
  });

  it("reports a list that cannot be used, and a variable that is not set", async () => {
    const [unset] = await look({ web: { url: "http://127.0.0.1:1/$" + "{NAME}" } });
    expect(unset.detail).to.contain("VERL_MCP_BAD_SERVERS").and.contain("NAME is not set");
    const [none] = await look({});
    expect(none.detail).to.contain("it lists no server");
  });
});
