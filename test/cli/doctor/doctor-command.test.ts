import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { diagnoseMachine, nodeIsSupported } from "../../../cli/doctor/machine.js";
import type { TemplateCheck } from "../../../core/agent/index.js";
import { charTokenizerFiles } from "../../../core/data/index.js";
import type { Diagnosis } from "../../../core/plugin.js";
import { cli } from "../support.js";

describe("cli/doctor", () => {
  let cwd: string;
  before(() => {
    cwd = fs.mkdtempSync(path.join(os.tmpdir(), "verl-doctor-"));
  });
  after(() => fs.rmSync(cwd, { recursive: true }));

  it("looks at runtime, memory, disk, plugins and platforms, and leaves nothing behind", async () => {
    const { code, json } = await cli(["doctor", "--json"], { cwd });
    const { ok, findings } = json<{ ok: boolean; findings: Diagnosis[] }>();
    expect(code).to.equal(ok ? 0 : 1);
    expect(findings.map(({ name }) => name)).to.include.members([
      "runtime",
      "memory",
      "disk",
      "clock",
      "plugins",
      "platform cpu",
    ]);
    expect(findings.find(({ name }) => name === "platform cpu")?.status).to.equal("ok");
    expect(fs.readdirSync(cwd)).to.deep.equal([]);
  });

  it("says of every sandbox what it isolates with and runs, or why it cannot be used", async () => {
    const { json } = await cli(["doctor", "--json"], { cwd });
    const { findings } = json<{ findings: Diagnosis[] }>();
    const of = (name: string) => findings.find((finding) => finding.name === `sandbox ${name}`)?.detail;
    expect(of("namespaces")).to.match(/^(Linux namespaces, resource limits and seccomp; runs .*|not chosen: .+)$/);
    expect(of("sandbox_fusion")).to.equal("not chosen: reward.sandbox_fusion.url is not set");
  });

  it("says of the trackers that are named whether they can be used", async () => {
    const env = { VERL_TRACKER_PYTHON: "/no/such/python" };
    const { code, json } = await cli(["doctor", "trainer.logger=[jsonl, wandb]", "--json"], { cwd, env });
    const { findings } = json<{ findings: Diagnosis[] }>();
    expect(code).to.equal(1);
    const found = findings.filter(({ name }) => name.startsWith("tracker"));
    expect(found.map(({ name, status }) => `${name} ${status}`)).to.deep.equal(["tracker wandb failed"]);
    expect(found[0].detail).to.include("/no/such/python: not found");
  });

  it("reports a plugin that cannot be found, and goes on", async () => {
    const env = { VERL_USE_EXTERNAL_MODULES: "./no-such-plugin.js" };
    const { code, stdout } = await cli(["doctor"], { cwd, env });
    expect(code).to.equal(1);
    expect(stdout).to.contain("VERL_PLUGIN_NOT_FOUND").and.to.contain("platform cpu");
  });

  it("sees a model of the Hugging Face Hub in the cache, and downloads nothing", async () => {
    const snapshot = path.join(cwd, "hub", "models--a--b", "snapshots", "0".repeat(40));
    fs.mkdirSync(snapshot, { recursive: true });
    const env = { HF_HOME: cwd, HF_ENDPOINT: "http://127.0.0.1:9" };
    const doctor = () => cli(["doctor", "--model", `a/b@${"0".repeat(40)}`, "--json"], { cwd, env });
    const found = async () =>
      (await doctor())
        .json<{ findings: Diagnosis[] }>()
        .findings.filter(({ name }) => /^(model|tokenizer|weights)$/.test(name));
    const [missing, ...others] = await found();
    expect(missing).to.include({ name: "model", status: "warning" });
    expect(missing.fix).to.contain("HF_HOME");
    expect(others).to.deep.equal([]);
    for (const name of ["config.json", "model.safetensors"]) fs.writeFileSync(path.join(snapshot, name), "");
    expect((await found()).map(({ detail }) => detail).join()).to.contain(`${snapshot} has no tokenizer`);
  });

  it("says once that a model is not there, and how one of the Hub is named", async () => {
    const { code, json } = await cli(["doctor", "--model", "gpt2", "--json"], { cwd });
    expect(code).to.equal(1);
    const findings = json<{ findings: Diagnosis[] }>().findings.filter(({ status }) => status === "failed");
    expect(findings.map(({ name }) => name)).to.deep.equal(["model"]);
    for (const word of ["OWNER/NAME", "HF_ENDPOINT", "HF_HOME", "HF_HUB_OFFLINE", "config.json"])
      expect(findings[0].fix).to.contain(word);
  });

  it("goes on where a small vocabulary cannot spell the sample", async () => {
    const { tokenizerJson, tokenizerConfig } = charTokenizerFiles("0123456789+=", {
      pad: "#",
      eos: ".",
      chatTemplate: "{{ messages[0]['content'] }}",
    });
    const model = fs.mkdtempSync(path.join(os.tmpdir(), "verl-digits-"));
    fs.writeFileSync(path.join(model, "tokenizer.json"), JSON.stringify(tokenizerJson));
    const template = { chat_template: "{{ messages[0]['content'] }}" };
    fs.writeFileSync(path.join(model, "tokenizer_config.json"), JSON.stringify({ ...tokenizerConfig, ...template }));
    const { stdout, json } = await cli(["doctor", "--model", model, "--json"], { cwd });
    fs.rmSync(model, { recursive: true });
    const { findings } = json<{ findings: Diagnosis[] }>();
    expect(findings.find(({ name }) => name === "tokenizer")?.status, stdout).to.equal("warning");
    expect(findings.map(({ name }) => name)).to.include.members(["runtime", "chat template"]);
    // The template repeats the first message alone: it is judged by its texts although they have no tokens.
    expect(findings.find(({ name }) => name === "chat template")?.detail).to.match(/changes the history|refuses/);
  });

  describe("a chat template", () => {
    const letters = `\n${Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join("")}`;
    const chatml = `{%- for m in messages -%}{{- '<' + m.role + '>' + (m.reasoning_content or '' if KEEPS else '') + m.content + '\n' -}}{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<assistant>' -}}{%- endif -%}`;
    const check = (keeps: string, ...more: string[]) => checkWith({}, keeps, ...more);
    const checkWith = async (
      { alphabet = letters, ...tokenizerConfig }: { alphabet?: string; chat_template?: unknown },
      keeps: string,
      ...more: string[]
    ) => {
      const model = fs.mkdtempSync(path.join(cwd, "model-"));
      const files = charTokenizerFiles(alphabet, { pad: "\u0000", eos: "\u0001" });
      const config = { ...files.tokenizerConfig, chat_template: chatml.replace("KEEPS", keeps), ...tokenizerConfig };
      fs.writeFileSync(path.join(model, "tokenizer.json"), JSON.stringify(files.tokenizerJson));
      fs.writeFileSync(path.join(model, "tokenizer_config.json"), JSON.stringify(config));
      fs.writeFileSync(path.join(model, "config.json"), JSON.stringify({ model_type: "glm4_moe" }));
      return cli(["doctor", "--model", model, ...more], { cwd });
    };

    it("that only appends is reported as such", async () => {
      const { json } = await check("true", "--json");
      const { findings, template } = json<{ findings: Diagnosis[]; template: TemplateCheck }>();
      const [finding, ...others] = findings.filter(({ name }) => name === "chat template");
      expect(finding).to.deep.include({ status: "ok" });
      expect(finding.detail).to.contain("only appends to the history, in all 8 kinds of conversations");
      expect(others).to.deep.equal([]);
      expect([template.appendOnly, template.family]).to.deep.equal([true, "glm"]);
    });

    it("P21: that changes the history is reported with the first token that differs, a line each", async () => {
      const { stdout } = await check("loop.last");
      expect(stdout).to.match(/warning {2}chat template +changes the history in \d of 8 kinds of conversations/);
      expect(stdout).to.match(
        /reasoning, then a user turn: at token \d+, after ".*<assistant>A", the model saw " ", the template writes "n" now/,
      );
      expect(stdout).to.contain("the guide on tokens says what can be done");
    });

    it("is looked at as text where the tokenizer lacks a character, and everywhere else as tokens", async () => {
      const { json } = await checkWith({ alphabet: letters.replace("?", "") }, "true", "--json");
      const { findings, template } = json<{ findings: Diagnosis[]; template: TemplateCheck }>();
      const [finding] = findings.filter(({ name }) => name === "chat template");
      expect(finding.status).to.equal("warning");
      expect(finding.detail)
        .to.contain("only appends to the history, in all 8 kinds of conversations")
        .and.match(/\d of them compared as text, not as tokens: the tokenizer has no token for "\?"/);
      expect(new Set(template.shapes.map(({ status }) => status))).to.include("untokenized");
    });

    it("that changes the history is found without tokens as well", async () => {
      const { json } = await checkWith({ alphabet: letters.replace("?", "") }, "loop.last", "--json");
      const { template } = json<{ template: TemplateCheck }>();
      expect(template.appendOnly).to.equal(false);
    });

    it("that takes a single question alone is a warning: most runs ask no more", async () => {
      const { code, json } = await checkWith({ chat_template: "{{ messages[0]['content'] }}" }, "true", "--json");
      const { findings } = json<{ findings: Diagnosis[] }>();
      const [finding] = findings.filter(({ name }) => name === "chat template");
      expect(finding.status).to.equal("warning");
      expect(finding.detail).to.contain("takes a single question, and refuses every conversation of several turns");
      expect(code).to.equal(findings.some(({ status }) => status === "failed") ? 1 : 0);
    });

    it("that is neither a text nor a list is refused with the file that holds it", async () => {
      const { code, stdout } = await checkWith({ chat_template: 5 }, "true", "--json");
      expect(code).to.equal(1);
      expect(stdout)
        .to.contain("VERL_FORMATS_CONFIG_INVALID")
        .and.contain("chat_template is 5")
        .and.contain("tokenizer_config.json");
    });

    it("is rendered with the variables of the configuration", async () => {
      const { json } = await check("keep", "--json", "+data.apply_chat_template_kwargs.keep=true");
      expect(json<{ template: TemplateCheck }>().template.appendOnly).to.equal(true);
    });
  });

  it("asks the nearest existing folder for disk space", async () => {
    const disk = (await diagnoseMachine(path.join(cwd, "a", "b"))).find(({ name }) => name === "disk");
    expect(disk?.status).not.to.equal("failed");
    expect(disk?.detail).to.contain(path.join(cwd, "a", "b"));
  });

  it("knows which Node.js is new enough", () => {
    expect(["18.20.0", "20.10.0"].map(nodeIsSupported)).to.deep.equal([false, false]);
    expect(["20.11.0", "22.0.0", "24.1.0"].map(nodeIsSupported)).to.deep.equal([true, true, true]);
  });
});
