import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { ToyFolder } from "../../../core/trainer/support/toy-run.js";
import { ONNX_OVERRIDES, TOY_OVERRIDES } from "../../../core/trainer/support/toy-task.js";

const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));

/** The package as npm installs it without its optional peers: the built code, beside every other package that it needs. */
async function installWithout(folder: string, missing: string): Promise<string> {
  for (const room of ["core", "cli", "plugins", "engines", "platforms"]) {
    await cp(path.join(ROOT, "dist", room), path.join(folder, "dist", room), {
      recursive: true,
      filter: (file) => !/\.(map|d\.ts)$/.test(file),
    });
  }
  await cp(path.join(ROOT, "package.json"), path.join(folder, "package.json"));
  const modules = path.join(ROOT, "node_modules");
  await mkdir(path.join(folder, "node_modules"));
  for (const name of await readdir(modules)) {
    if (name.startsWith(".") || name === missing) continue;
    await symlink(path.join(modules, name), path.join(folder, "node_modules", name), "junction");
  }
  return path.join(folder, "dist", "cli", "main.js");
}

describe("MCP tools without the SDK", function () {
  this.timeout(60_000);

  it("end the run before it begins with the package's name and how to install it; others need it not", async () => {
    const installed = await mkdtemp(path.join(tmpdir(), "verl-without-mcp-"));
    try {
      const main = await installWithout(installed, "@modelcontextprotocol");
      await using folder = await ToyFolder.create();
      await folder.write("tools.yaml", "tools:\n  - name: mcp\n    mcp: { mcp_servers_config_path: servers.json }\n");
      await folder.write("servers.json", JSON.stringify({ mcpServers: { toys: { command: "nobody-starts-this" } } }));
      await folder.write("own.mjs", "export const none = [];");
      const rollout = "actor_rollout_ref.rollout";
      const train = (...overrides: string[]) =>
        promisify(execFile)(
          process.execPath,
          [main, "train", ...TOY_OVERRIDES, `${rollout}.agent.default_agent_loop=tool`, ...overrides],
          { cwd: folder.dir, env: { ...process.env, NO_COLOR: "1", VERL_USE_EXTERNAL_MODULES: "" } },
        ).then(
          () => "",
          ({ stderr }: { stderr: string }) => stderr,
        );
      const said = await train(...ONNX_OVERRIDES, `${rollout}.multi_turn.tool_config_path=tools.yaml`);
      expect(said).to.contain("VERL_MCP_NOT_INSTALLED").and.contain("npm install @modelcontextprotocol/sdk@1");
      expect(said).to.not.contain("nobody-starts-this");
      const without = await train(...ONNX_OVERRIDES);
      expect(without).to.not.contain("MCP");
    } finally {
      await rm(installed, { recursive: true, force: true });
    }
  });
});
