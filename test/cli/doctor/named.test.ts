import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { Diagnosis } from "../../../core/plugin.js";
import { FakeHub } from "../../core/formats/hub/fake-hub.js";
import { deadAddress, HttpServer } from "../../core/reward/servers/http-server.js";
import { cli } from "../support.js";

const ROLLOUT = "actor_rollout_ref.rollout";

describe("cli/doctor, what the configuration names", () => {
  let cwd: string;
  beforeEach(() => {
    cwd = fs.mkdtempSync(path.join(os.tmpdir(), "verl-doctor-"));
  });
  afterEach(() => fs.rmSync(cwd, { recursive: true }));

  async function doctor(overrides: string[], env: Record<string, string> = {}) {
    const { code, stdout, json } = await cli(["doctor", "--json", ...overrides], { cwd, env });
    const { findings } = json<{ findings: Diagnosis[] }>();
    const of = (name: RegExp) => findings.filter((finding) => name.test(finding.name));
    return { code, stdout, findings, of };
  }
  const write = (name: string, content: unknown) => fs.writeFileSync(path.join(cwd, name), JSON.stringify(content));

  it("looks at reward servers, MCP servers, collector, sandbox service and Hub, all at once", async () => {
    const hub = await FakeHub.start({});
    await using judge = await HttpServer.start(() => ({ body: { data: [{ id: "judge" }] } }));
    await using collector = await HttpServer.start(() => ({}));
    await using mcp = await HttpServer.start(() => ({}));
    await using fusion = await HttpServer.start(() => ({
      body: {
        status: "Success",
        run_result: { status: "Finished", stdout: "", stderr: "", return_code: 0 },
        files: {},
      },
    }));
    write("servers.json", { mcpServers: { web: { url: `${mcp.address}/mcp` }, local: { command: "node" } } });
    write("tools.json", { tools: [{ name: "mcp", mcp: { mcp_servers_config_path: "./servers.json" } }] });
    const { of } = await doctor(
      [
        "reward.reward_model.enable=true",
        "reward.reward_model.model_path=judge",
        "reward.reward_model.rollout.name=vllm",
        `reward.reward_model.addresses=['${judge.address}']`,
        `reward.sandbox_fusion.url='${fusion.address}/run_code'`,
        `${ROLLOUT}.multi_turn.tool_config_path=tools.json`,
        `${ROLLOUT}.trace.backend=otel`,
        `${ROLLOUT}.trace.endpoint='${collector.address}'`,
        "actor_rollout_ref.model.path=org/tiny",
      ],
      { HF_ENDPOINT: hub.endpoint, HF_HOME: cwd, PATH: process.env.PATH ?? "" },
    );
    await hub.stop();
    const seen = of(/^(reward server|MCP server|trace collector|sandbox sandbox_fusion|Hub model)/);
    expect(seen.map(({ name, status }) => `${name.replace(/ 127.*/, "")}: ${status}`)).to.have.members([
      "sandbox sandbox_fusion: ok",
      "reward server: ok",
      "MCP server web: ok",
      "MCP server local: ok",
      "trace collector: ok",
      "Hub model org/tiny: ok",
    ]);
    // All of these answer with the same clock, that of this machine.
    expect(of(/^clock$/)).to.have.length(1);
    expect(of(/^clock$/)[0].detail).to.match(/as the file system and \d servers say$/);
    // The address of a hub is asked once, and nothing is fetched.
    expect(fs.existsSync(path.join(cwd, "hub"))).to.equal(false);
  });

  it("fails with reason and advice for what cannot be reached, and shows no secret", async () => {
    const dead = await deadAddress();
    const address = dead.replace("//", "//me:s3cret@");
    const { code, stdout, of } = await doctor([
      "reward.reward_model.enable=true",
      "reward.reward_model.model_path=judge",
      "reward.reward_model.rollout.name=vllm",
      `reward.reward_model.addresses=['${address}']`,
      `reward.sandbox_fusion.url='${address}/run_code'`,
    ]);
    expect(code).to.equal(1);
    for (const name of [/^reward server/, /^sandbox sandbox_fusion/]) {
      const [finding] = of(name);
      expect(finding.status, String(name)).to.equal("failed");
      expect(finding.fix, String(name)).to.contain("reward.");
    }
    expect(stdout).not.to.contain("s3cret");
  });

  it("compares the clock with what servers say", async () => {
    await using judge = await HttpServer.start(() => ({
      headers: { date: new Date(Date.now() - 10_800_000).toUTCString() },
      body: { data: [] },
    }));
    const { of } = await doctor([
      "reward.reward_model.enable=true",
      "reward.reward_model.model_path=judge",
      "reward.reward_model.rollout.name=vllm",
      `reward.reward_model.addresses=['${judge.address}']`,
    ]);
    const [clock] = of(/^clock$/);
    expect(clock.status).to.equal("warning");
    expect(clock.detail).to.match(/^reward server 127\.0\.0\.1:\d+ is 3 hours behind this machine/);
  });

  it("asks nobody where the configuration names nobody", async () => {
    await using hub = await HttpServer.start(() => ({}));
    await doctor([], { HF_ENDPOINT: hub.address, HF_HOME: cwd });
    expect(hub.received).to.deep.equal([]);
  });

  it("says that the configuration has problems, and looks at the rest all the same", async () => {
    const { code, of } = await doctor(["trainer.nnodes=2", "data.seed=x"]);
    expect(code).to.equal(1);
    const findings = of(/^configuration$/);
    expect(findings.map(({ detail }) => detail.split(" ")[0])).to.have.members(["trainer.nnodes", "data.seed"]);
    for (const { status, fix } of findings) expect([status, fix]).to.include("failed").and.not.include(undefined);
    expect(of(/^platform cpu$/)).to.have.length(1);
  });

  it("asks the rollout of a plugin with the options that the configuration gives it", async () => {
    fs.writeFileSync(
      path.join(cwd, "remote.mjs"),
      `import { definePlugin, reach } from "verl-ts/plugin";
export default definePlugin({ name: "remote", apiVersion: "^1.0.0", provides: ["rollout"], register(host) {
  host.rollouts.register({ name: "remote", createReplica() { throw new Error("not here"); },
    async diagnose(chosen) {
      if (!chosen) return [];
      const answer = await reach(chosen.extra.url, { timeoutMs: chosen.timeoutMs });
      return [{ name: "rollout server", status: answer.answered ? "ok" : "failed", detail: answer.why ?? "answers" }];
    } });
} });
`,
    );
    fs.mkdirSync(path.join(cwd, "node_modules"));
    fs.symlinkSync(process.cwd(), path.join(cwd, "node_modules", "verl-ts"));
    const { of } = await doctor([
      "plugins=[./remote.mjs]",
      `${ROLLOUT}.name=remote`,
      `+${ROLLOUT}.engine_kwargs.remote.url='${await deadAddress()}'`,
    ]);
    expect(of(/^rollout server$/).map(({ detail }) => detail)).to.deep.equal([
      "nothing listens there (connection refused)",
    ]);
  });
});
