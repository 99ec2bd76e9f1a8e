import { homedir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { parseHubReference } from "../../../../core/config/index.js";
import { hubSettings } from "../../../../core/formats/hub/hub-settings.js";
import { errorOf } from "../support.js";

describe("settings of the Hugging Face Hub", () => {
  it("follow the variables of huggingface_hub", async () => {
    const cacheOf = async (env: Record<string, string>) => (await hubSettings(env)).cacheDir;
    expect(await cacheOf({})).to.equal(join(homedir(), ".cache", "huggingface", "hub"));
    expect(await cacheOf({ XDG_CACHE_HOME: "/c" })).to.equal(join("/c", "huggingface", "hub"));
    expect(await cacheOf({ XDG_CACHE_HOME: "/c", HF_HOME: "/h" })).to.equal(join("/h", "hub"));
    expect(await cacheOf({ HF_HOME: "/h", HF_HUB_CACHE: "/x" })).to.equal("/x");
    expect((await hubSettings({ HF_ENDPOINT: "https://mirror/" })).endpoint).to.equal("https://mirror");
    expect((await hubSettings({})).isOffline).to.equal(false);
    expect((await hubSettings({ HF_HUB_OFFLINE: "TRUE" })).isOffline).to.equal(true);
  });

  it("send a token over TLS or to this machine alone", async () => {
    const tokenAt = async (endpoint: string) => (await hubSettings({ HF_ENDPOINT: endpoint, HF_TOKEN: "t" })).token;
    for (const endpoint of ["https://mirror", "http://localhost:8080", "http://127.0.0.1", "http://[::1]:1"]) {
      expect(await tokenAt(endpoint), endpoint).to.equal("t");
    }
    for (const endpoint of ["http://mirror", "http://127.0.0.1.example", "http://localhost.example"]) {
      expect(await tokenAt(endpoint), endpoint).to.equal(null);
    }
  });

  it("refuse an endpoint that is no address", async () => {
    expect((await errorOf(() => hubSettings({ HF_ENDPOINT: "mirror" }))).message).to.include("HF_ENDPOINT");
  });
});

describe("names of models on the Hugging Face Hub", () => {
  const read: [text: string, repo: string, revision: string, file: string | null][] = [
    ["Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-0.5B", "main", null],
    ["a/b@v1.0", "a/b", "v1.0", null],
    ["a/b-GGUF/b.Q4_K_M.gguf", "a/b-GGUF", "main", "b.Q4_K_M.gguf"],
    ["a/b@dev/b-00001-of-00003.gguf", "a/b", "dev", "b-00001-of-00003.gguf"],
  ];
  for (const [text, repo, revision, file] of read) {
    it(`${text} is one`, () => expect(parseHubReference(text)).to.deep.equal({ repo, revision, file }));
  }
  for (const text of [
    "model",
    "./a/b",
    "/a/b",
    "../b",
    "a/b/c",
    "a/b/c/d.gguf",
    "~/a/b",
    "a/b@",
    "a/b@../x",
    "a b/c",
    "a/..",
  ]) {
    it(`${text} is none`, () => expect(parseHubReference(text)).to.equal(null));
  }
});
