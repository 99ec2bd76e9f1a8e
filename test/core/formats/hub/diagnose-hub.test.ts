import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { diagnoseHubModel, hubSnapshot } from "../../../../core/formats/index.js";
import { lineLogger } from "../../../../core/host/index.js";
import { COMMIT, FakeHub } from "./fake-hub.js";

describe("core/formats/hub/diagnose-hub", () => {
  let home: string;
  let hub: FakeHub;
  beforeEach(async () => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), "verl-hub-"));
    hub = await FakeHub.start({ "config.json": "{}", "model.safetensors": "x" });
  });
  afterEach(async () => {
    await hub.stop();
    fs.rmSync(home, { recursive: true });
  });

  const tiny = (revision = "main") => ({ repo: "org/tiny", revision, file: null });
  const env = (more: Record<string, string> = {}) => ({ HF_HOME: home, HF_ENDPOINT: hub.endpoint, ...more });
  const look = (reference = tiny(), more: Record<string, string> = {}) =>
    diagnoseHubModel(reference, { env: env(more), timeoutMs: 5000 });
  const download = () => hubSnapshot(tiny(), { env: env(), logger: lineLogger(() => {}) });

  it("asks for the revision and downloads nothing", async () => {
    const finding = await look();
    expect(finding).to.include({ name: "Hub model org/tiny", status: "ok" });
    expect(finding.detail).to.match(/^at 127\.0\.0\.1:\d+; it is downloaded when a run starts$/);
    expect(hub.taken()).to.deep.equal(["/api/models/org/tiny/revision/main"]);
    expect(fs.readdirSync(home)).to.deep.equal([]);
  });

  it("says that a model is not there or not for everybody, and whether a token was sent", async () => {
    const finding = await look({ ...tiny(), repo: "org/other" }, { HF_TOKEN: "hf_s3cret" });
    expect(finding.status).to.equal("failed");
    expect(finding.detail).to.contain("(404; a token was sent)");
    expect(JSON.stringify(finding)).not.to.contain("s3cret");
  });

  it("asks nothing for a commit that is in the cache, nor where the Hub is off", async () => {
    await download();
    hub.taken();
    expect(await look(tiny(COMMIT))).to.include({ status: "ok", detail: "in the cache" });
    expect(await look(tiny(), { HF_HUB_OFFLINE: "1" })).to.include({ status: "ok", detail: "in the cache" });
    const missing = await look({ ...tiny(), repo: "org/other" }, { HF_HUB_OFFLINE: "1" });
    expect(missing).to.include({ status: "failed", detail: "not in the cache, and HF_HUB_OFFLINE is set" });
    expect(hub.taken()).to.deep.equal([]);
  });

  it("warns where the Hub does not answer and the cache will be used", async () => {
    await download();
    await hub.stop();
    const finding = await look();
    expect(finding.status).to.equal("warning");
    expect(finding.detail).to.match(/nothing listens there .*; the cache is used$/);
    expect(finding.fix).to.contain("HF_ENDPOINT");
  });

  it("fails where the Hub does not answer and the cache has nothing", async () => {
    await hub.stop();
    expect((await look()).status).to.equal("failed");
  });
});
