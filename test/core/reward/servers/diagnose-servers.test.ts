import { expect } from "chai";
import { diagnoseServers } from "../../../../core/reward/index.js";
import { deadAddress, HttpServer, type Reply } from "./http-server.js";

describe("core/reward/servers/diagnose-servers", () => {
  const look = (addresses: string[], env: Record<string, string> = {}, apiKeyEnv: string | null = null) =>
    diagnoseServers({ addresses, model: "judge", apiKeyEnv }, { cwd: ".", env, timeoutMs: 5000 });

  async function findingOf(reply: Reply) {
    await using server = await HttpServer.start(() => reply);
    const [finding] = await look([server.address]);
    return finding;
  }

  it("says of each server whether it answers and serves the model", async () => {
    await using server = await HttpServer.start(() => ({ body: { data: [{ id: "judge" }] } }));
    const findings = await look([`${server.address}/v1`, await deadAddress()]);
    expect(findings.map(({ status, detail }) => `${status}: ${detail}`)).to.deep.equal([
      "ok: serves judge",
      "failed: nothing listens there (connection refused)",
    ]);
    expect(server.received.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(["GET /v1/models"]);
    expect(findings[1].fix).to.contain("reward.reward_model.addresses");
  });

  it("names the models of a server that serves others", async () => {
    const { status, detail, fix } = await findingOf({ body: { data: [{ id: "a" }, { id: "b" }] } });
    expect([status, detail]).to.deep.equal(["failed", "does not serve judge; it serves a, b"]);
    expect(fix).to.contain("model_name");
  });

  it("takes a server without a list of models", async () => {
    expect((await findingOf({ status: 404 })).status).to.equal("ok");
  });

  it("says that a key is missing or refused, and shows none", async () => {
    await using server = await HttpServer.start(({ headers }) =>
      headers.authorization === "Bearer s3cret-key" ? { body: { data: [] } } : { status: 401 },
    );
    const [without] = await look([server.address]);
    expect(without).to.include({ status: "failed", detail: "refuses with 401; no key was sent" });
    const [unset] = await look([server.address], {}, "JUDGE_KEY");
    expect(unset.detail).to.contain("VERL_REWARD_NO_KEY").and.contain("JUDGE_KEY");
    const findings = await look([server.address], { JUDGE_KEY: "s3cret-key" }, "JUDGE_KEY");
    expect(findings[0]).to.include({ status: "ok" });
    expect(JSON.stringify(findings)).not.to.contain("s3cret");
  });

  it("keeps credentials of an address out of what it says", async () => {
    await using server = await HttpServer.start(() => ({ status: 500 }));
    const findings = await look([server.address.replace("//", "//me:s3cret@")]);
    expect(findings[0].detail).to.equal("answers GET /v1/models with 500");
    expect(JSON.stringify(findings)).not.to.contain("s3cret");
  });
});
