import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { parseHubReference } from "../../../../core/config/index.js";
import { type HubOptions, hubSnapshot, openModel, writeHfFolder } from "../../../../core/formats/index.js";
import { errorOf, tinyConfig, tinyTensors } from "../support.js";
import { COMMIT, FakeHub } from "./fake-hub.js";

const WEIGHTS = "model.safetensors";
const TOKEN = "hf_secretsecret";

describe("models of the Hugging Face Hub", () => {
  let folder: string;
  let hub: FakeHub;
  let messages: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "verl-hub-"));
    const model = join(folder, "model");
    const config = tinyConfig();
    await writeHfFolder(model, { config, tensors: tinyTensors(config), tokenizerFiles: null, dtype: "f32" });
    const names = await readdir(model);
    const files = await Promise.all(names.map(async (name) => [name, await readFile(join(model, name))]));
    hub = await FakeHub.start({ ...Object.fromEntries(files), "README.md": "#", "pytorch_model.bin": "pickle" });
    messages = [];
  });
  afterEach(async () => {
    await hub.stop();
    await rm(folder, { recursive: true });
  });

  function options(env: Record<string, string> = {}): HubOptions {
    const note = (message: string) => void messages.push(message);
    return {
      env: { HF_ENDPOINT: hub.endpoint, HF_HOME: join(folder, "home"), ...env },
      logger: { debug: note, info: note, warn: note, error: note },
      retryDelaysMs: [1, 1],
    };
  }

  const fetched = (text = "org/tiny", env: Record<string, string> = {}) =>
    hubSnapshot(parseHubReference(text) as never, options(env));
  const store = () => join(folder, "home", "hub", "models--org--tiny");
  const digestOf = (name: string) => FakeHub.digest(name, hub.files.get(name) as Buffer);

  it("are downloaded into the cache of huggingface_hub, without other copies of the weights", async () => {
    const path = await fetched();
    expect(path).to.equal(join(store(), "snapshots", COMMIT));
    expect((await readdir(path)).sort()).to.deep.equal(["config.json", "generation_config.json", WEIGHTS]);
    expect(await readFile(join(store(), "refs", "main"), "utf8")).to.equal(COMMIT);
    const blob = `../../blobs/${digestOf(WEIGHTS)}`;
    if (process.platform !== "win32") expect(await readlink(join(path, WEIGHTS))).to.equal(blob);
    const model = await openModel(path);
    expect(await model.readTensor("model.norm.weight")).to.deep.equal(tinyTensors(tinyConfig()).at(-1));
    await model.close();
    expect(messages.join("\n")).to.include(`downloading ${WEIGHTS} of org/tiny`);
  });

  it("are asked for once: the next time only whether there is something newer", async () => {
    const path = await fetched();
    hub.taken();
    expect(await fetched()).to.equal(path);
    expect(hub.taken()).to.deep.equal(["/api/models/org/tiny/revision/main?blobs=true"]);
  });

  it("are not asked for at all once a commit is in the cache", async () => {
    const path = await fetched(`org/tiny@${COMMIT}`);
    hub.taken();
    expect(await fetched(`org/tiny@${COMMIT}`)).to.equal(path);
    expect(hub.taken()).to.deep.equal([]);
  });

  it("are complete though connections break", async () => {
    hub.cuts = 2;
    await fetched();
    expect(hub.taken().filter((path) => path.includes("signed"))).to.have.length(3);
    expect(await readFile(join(store(), "blobs", digestOf(WEIGHTS)))).to.deep.equal(hub.files.get(WEIGHTS));
  });

  for (const [what, knowsRanges] of [
    ["continued", true] as const,
    ["begun anew by a server without ranges", false] as const,
  ]) {
    it(`are ${what} when an earlier run was killed`, async () => {
      hub.knowsRanges = knowsRanges;
      await mkdir(join(store(), "blobs"), { recursive: true });
      const begun = hub.files.get(WEIGHTS)?.subarray(0, 100) as Buffer;
      await writeFile(join(store(), "blobs", `${digestOf(WEIGHTS)}.incomplete`), begun);
      await fetched();
      expect(hub.requests.map(({ range }) => range)).to.include("bytes=100-");
      expect(await readFile(join(store(), "blobs", digestOf(WEIGHTS)))).to.deep.equal(hub.files.get(WEIGHTS));
    });
  }

  it("are refused when what comes is not what was promised", async () => {
    const wrong = Buffer.from(hub.files.get(WEIGHTS) as Buffer);
    wrong[wrong.length - 1] ^= 1;
    hub.sent.set(WEIGHTS, wrong);
    const error = await errorOf(() => fetched());
    expect(error.code).to.equal("VERL_FORMATS_HUB_DAMAGED");
    expect(error.message).to.include(WEIGHTS);
    expect(await readdir(join(store(), "blobs"))).to.not.include(digestOf(WEIGHTS));
    hub.sent.clear();
    await fetched();
  });

  it("are refused when more comes than was promised, which is not waited for", async () => {
    hub.sent.set(WEIGHTS, Buffer.alloc(64 * 2 ** 20));
    const error = await errorOf(() => fetched());
    expect(error.code).to.equal("VERL_FORMATS_HUB_DAMAGED");
    expect(await readdir(join(store(), "blobs"))).to.not.include(`${digestOf(WEIGHTS)}.incomplete`);
  });

  it("are taken anew where the cache holds a list of shards that is none", async () => {
    const path = await fetched();
    for (const index of ["null", '{"weight_map": {"a": 5}}', "["]) {
      await writeFile(join(path, "model.safetensors.index.json"), index);
      const error = await errorOf(() => fetched("org/tiny", { HF_HUB_OFFLINE: "1" }));
      expect(error.code).to.equal("VERL_FORMATS_HUB_UNREACHABLE");
    }
  });

  it("come from several callers at once", async () => {
    const paths = await Promise.all([fetched(), fetched(), fetched()]);
    expect(new Set(paths).size).to.equal(1);
    expect(await readFile(join(store(), "blobs", digestOf(WEIGHTS)))).to.deep.equal(hub.files.get(WEIGHTS));
  });

  it("come from the cache alone when offline", async () => {
    const offline = { HF_HUB_OFFLINE: "1" };
    const error = await errorOf(() => fetched("org/tiny", offline));
    expect(error.code).to.equal("VERL_FORMATS_HUB_UNREACHABLE");
    expect(error.message).to.include("HF_HUB_OFFLINE").and.include(store());
    expect(hub.taken()).to.deep.equal([]);
    const path = await fetched();
    hub.taken();
    expect(await fetched("org/tiny", offline)).to.equal(path);
    expect(hub.taken()).to.deep.equal([]);
  });

  it("come from the cache with a warning when the Hub does not answer", async () => {
    const path = await fetched();
    const { endpoint } = hub;
    await hub.stop();
    messages = [];
    expect(await fetched("org/tiny", { HF_ENDPOINT: endpoint })).to.equal(path);
    expect(messages[0]).to.include("may be older");
    await rm(join(path, WEIGHTS));
    expect((await errorOf(() => fetched("org/tiny", { HF_ENDPOINT: endpoint }))).code).to.equal(
      "VERL_FORMATS_HUB_UNREACHABLE",
    );
  });

  const refusals: [status: number, code: string][] = [
    [401, "VERL_FORMATS_HUB_NOT_FOUND"],
    [404, "VERL_FORMATS_HUB_NOT_FOUND"],
    [403, "VERL_FORMATS_HUB_NO_ACCESS"],
    [500, "VERL_FORMATS_HUB_UNREACHABLE"],
  ];
  for (const [status, code] of refusals) {
    it(`are refused by name when the Hub answers ${status}`, async () => {
      hub.status = status;
      hub.headers = { "x-error-message": "because" };
      const error = await errorOf(() => fetched("org/tiny", { HF_TOKEN: TOKEN }));
      expect(error.code).to.equal(code);
      expect(error.message).to.include("org/tiny").and.include("because").and.not.include(TOKEN);
    });
  }

  it("are asked for with a token, which goes to the Hub alone and into no message", async () => {
    await fetched("org/tiny", { HF_TOKEN: `${TOKEN}\n` });
    const sent = hub.requests.map(({ path, authorization }) => [path.includes("signed"), authorization]);
    expect(sent)
      .to.deep.include([false, `Bearer ${TOKEN}`])
      .and.deep.include([true, undefined]);
    expect(sent).to.not.deep.include([true, `Bearer ${TOKEN}`]);
    expect(messages.join("\n")).to.not.include(TOKEN);
  });

  it("are asked for with the token that `hf auth login` keeps", async () => {
    await mkdir(join(folder, "home"), { recursive: true });
    await writeFile(join(folder, "home", "token"), TOKEN);
    await fetched();
    expect(hub.requests[0].authorization).to.equal(`Bearer ${TOKEN}`);
  });

  it("may be a GGUF file, in parts as well", async () => {
    hub.files.set("a.gguf", Buffer.from("GGUF"));
    hub.files.set("b-00001-of-00002.gguf", Buffer.from("first"));
    hub.files.set("b-00002-of-00002.gguf", Buffer.from("second"));
    expect(await readFile(await fetched("org/tiny/a.gguf"), "utf8")).to.equal("GGUF");
    const first = await fetched("org/tiny/b-00001-of-00002.gguf");
    expect(await readFile(first.replace("00001-of", "00002-of"), "utf8")).to.equal("second");
    const error = await errorOf(() => fetched("org/tiny/c.gguf"));
    expect(error.code).to.equal("VERL_FORMATS_NOT_A_MODEL");
    expect(error.message).to.include("a.gguf");
    hub.files.delete("config.json");
    expect((await errorOf(() => fetched("org/tiny", { HF_HOME: join(folder, "other") }))).message).to.include(
      "org/tiny/FILE",
    );
  });

  it("are refused before anything is downloaded when there is nothing to read", async () => {
    hub.files.delete(WEIGHTS);
    const error = await errorOf(() => fetched());
    expect(error.code).to.equal("VERL_FORMATS_NOT_A_MODEL");
    expect(error.message).to.include("pytorch_model.bin");
    expect(hub.taken()).to.have.length(1);
  });

  it("put nothing outside the cache, whatever the names are", async () => {
    hub.strangeNames = ["../evil.json", "a/b.json", "/etc/evil.json", "..\\evil.json", ".hidden.json", "\0.json"];
    const path = await fetched();
    expect(await readdir(path)).to.have.length(3);
    expect((await readdir(join(store(), "snapshots"))).length).to.equal(1);
  });

  it("say so when the cache cannot be written", async () => {
    await writeFile(join(folder, "file"), "");
    const error = await errorOf(() => fetched("org/tiny", { HF_HUB_CACHE: join(folder, "file") }));
    expect(error.code).to.equal("VERL_FORMATS_HUB_CACHE");
    expect((await lstat(join(folder, "file"))).isFile()).to.equal(true);
  });

  it("are not asked for after an abort", async () => {
    const error = await hubSnapshot(parseHubReference("org/tiny") as never, {
      ...options(),
      signal: AbortSignal.abort(new Error("stop")),
    }).catch((reason) => reason);
    expect(error.message).to.equal("stop");
    expect(hub.taken()).to.deep.equal([]);
  });
});
