import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import {
  BaseTool,
  functionTool,
  loadTools,
  type Tool,
  type ToolFactory,
  type ToolFactoryOptions,
  type ToolSource,
} from "../../../../core/agent/index.js";
import { isVerlError } from "../../../../core/host/errors.js";

async function errorOf(work: Promise<unknown>): Promise<{ readonly code: string; readonly text: string }> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return { code: isVerlError(error) ? error.code : "", text: String(error) };
}
const codeOf = async (work: Promise<unknown>) => (await errorOf(work)).code;

class Steps extends BaseTool {
  execute() {
    return { text: "done" };
  }
}

describe("core/agent/tools: the list of tools", () => {
  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(path.join(tmpdir(), "tools-"));
    asked.length = 0;
    ended.length = 0;
  });
  afterEach(() => rm(cwd, { recursive: true }));

  const asked: ToolFactoryOptions[] = [];
  const ended: string[] = [];
  /** A registered tool that makes two. */
  const pair: ToolFactory = {
    name: "pair",
    create(options) {
      asked.push(options);
      if (options.config.broken === "list") return { tools: null } as never;
      const prefix = typeof options.config.prefix === "string" ? options.config.prefix : "p";
      const tools: Tool[] = ["1", "2"].map((n) => make(`${prefix}${n}`));
      return { tools, dispose: () => void ended.push(prefix) };
    },
  };

  const make = (name: string) => functionTool(() => "", { name, description: "T.", parameters: { type: "object" } });

  async function open(yaml: string | null, module: Record<string, unknown> | null, warnings: string[] = []) {
    if (yaml !== null) await writeFile(path.join(cwd, "tools.yaml"), yaml);
    const source: ToolSource = {
      configPath: yaml === null ? null : "tools.yaml",
      functionPath: module === null ? null : "./tools.mjs",
      cwd,
      env: {},
      loadUserModule: async (_, exportName) => (exportName === null ? module : { Steps, nothing: 1 }[exportName]),
      registered: (name) => {
        if (name !== "pair") throw new Error(`there is no tool ${name}`);
        return pair;
      },
      sandbox: () => Promise.reject(new Error("no sandbox")),
      logger: { debug() {}, info() {}, error() {}, warn: (text) => void warnings.push(text) },
      signal: new AbortController().signal,
    };
    return loadTools(source);
  }
  const load = async (...args: Parameters<typeof open>) => (await open(...args)).tools;

  const entry = (name: string, type = "native") =>
    `tools:\n  - class_name: ./x.ts#Steps\n    config: { type: ${type}, k: 2 }\n    tool_schema: { type: function, function: { name: ${name} } }\n`;

  it("says where tools stand that cannot be used: of one name, or with parameters that are no JSON schema", async () => {
    const twice = await errorOf(load(entry("a"), { a: make("a") }));
    expect(twice.text).to.match(/two tools are named "a".*tools\.yaml, entry 1; \.\/tools\.mjs/s);
    const own = await errorOf(load(null, { a: make("a"), b: { ...make("a") } }));
    expect(own.text).to.match(/two tools are named "a".*\.\/tools\.mjs/s);
    const broken = { type: "object", properties: { a: { type: "nothing" } } };
    const schema = functionTool(() => "", { name: "s", description: "S.", parameters: broken });
    expect((await errorOf(load(null, { schema }))).text).to.match(/are no JSON schema.*\.\/tools\.mjs/s);
    const listed = "tool_schema: { type: function, function: { name: s, parameters: { type: nothing } } }";
    const inList = `tools:\n  - class_name: ./x.ts#Steps\n    config: { type: native }\n    ${listed}\n`;
    expect((await errorOf(load(inList, null))).text).to.match(/are no JSON schema.*tools\.yaml, entry 1/s);
  });

  it("takes configured tools first, then exported ones by name", async () => {
    const tools = await load(entry("s"), { z: make("z"), list: [make("a")], other: 1, again: null });
    expect(tools.names).to.deep.equal(["s", "a", "z"]);
    expect((tools.find("s") as Steps).config).to.deep.equal({ type: "native", k: 2 });
  });

  it("asks a registered tool for its own, by name or by verl's type, with what the entry says", async () => {
    const schema = "tool_schema: { type: function, function: { name: x } }";
    const tools = await load(
      `tools:
  - { name: pair, config: { prefix: a }, extra: { file: f.json }, ${schema} }
  - { class_name: verl.tools.pair.PairTool, config: { type: pair, prefix: b, n: 3 } }`,
      null,
    );
    expect(tools.names).to.deep.equal(["a1", "a2", "b1", "b2"]);
    const entries = asked.map(({ config, schema, sections }) => ({ config, schema, sections }));
    expect(entries).to.deep.equal([
      {
        config: { prefix: "a" },
        schema: { type: "function", function: { name: "x" } },
        sections: { extra: { file: "f.json" } },
      },
      { config: { prefix: "b", n: 3 }, schema: null, sections: {} },
    ]);
    expect(asked[1].where).to.equal(`${path.join(cwd, "tools.yaml")}, entry 2`);
  });

  it("ends what tools started when asked to, and when a later entry cannot be used", async () => {
    const { dispose } = await open("tools: [{ name: pair, config: { prefix: a } }]", null);
    expect(ended).to.deep.equal([]);
    await dispose();
    await dispose();
    expect(ended).to.deep.equal(["a"]);
    const yaml = "tools: [{ name: pair, config: { prefix: b } }, { name: nobody }]";
    expect((await errorOf(open(yaml, null))).text).to.contain("there is no tool nobody");
    expect(ended).to.deep.equal(["a", "b"]);
  });

  it("refuses entries that say two things, and a registered tool that makes no list", async () => {
    for (const yaml of [
      "tools: [{ name: pair, config: { type: other } }]",
      "tools: [{ name: pair, config: { type: native } }]",
      "tools: [{ class_name: ./x.ts#Steps, config: { type: pair } }]",
      "tools: [{ config: { type: [pair] } }]",
      "tools: [{ name: 5 }]",
      "tools: [{ name: pair, tool_schema: text }]",
      "tools: [{ name: pair, config: { broken: list } }]",
      "tools: [{ name: pair }, { name: pair }]",
    ]) {
      expect(await codeOf(load(yaml, null)), yaml).to.equal("VERL_AGENT_BAD_TOOL");
    }
  });

  it("refuses a name that is in both, and what is no class or list", async () => {
    expect(await codeOf(load(entry("a"), { a: make("a") }))).to.equal("VERL_AGENT_BAD_TOOL");
    for (const yaml of [
      "- x",
      "tools: [{class_name: nowhere}]",
      "tools: [{class_name: ./x.ts#nothing}]",
      "tools: [",
      entry("''"),
      entry("a, parameters: text"),
      "tools: [{class_name: ./x.ts#Steps, config: text, tool_schema: {function: {name: a}}}]",
      "tools: [{class_name: ./x.ts#Steps}]",
      "tools: [{class_name: ./x.ts#Steps, tool_schema: {a: 1}}]",
    ]) {
      expect(await codeOf(load(yaml, null)), yaml).to.equal("VERL_AGENT_BAD_TOOL");
    }
  });

  it("refuses an export that can be executed and is no tool", async () => {
    const { text } = await errorOf(load(null, { a: make("a"), b: { execute: () => "", name: "b" } }));
    expect(text).to.contain("VERL_AGENT_BAD_TOOL").and.contain("a tool without a schema").and.contain("./tools.mjs");
  });

  it("refuses a module without tools, and says what it exports instead", async () => {
    for (const [module, words] of [
      [{ x: 1, foo() {} }, "It exports x (1), foo (a function)."],
      [{}, "It exports nothing."],
      [{ tools: [] }, "It exports tools (an empty list)."],
      [{ NAMES: ["a"] }, "It exports NAMES (a list of 1)."],
    ] as const) {
      const { text } = await errorOf(load(null, module));
      expect(text).to.contain("VERL_AGENT_BAD_TOOL").and.contain("./tools.mjs (function_tool_path)").and.contain(words);
    }
  });

  it("refuses a list in which something is no tool", async () => {
    const { text } = await errorOf(load(null, { all: [make("a"), 5, null] }));
    expect(text).to.contain("VERL_AGENT_BAD_TOOL").and.contain("item 2 of its export all is 5, no tool");
  });

  it("takes tools beside other exports, and all together of a CommonJS module", async () => {
    const [a, b] = [make("a"), make("b")];
    const together = { a, b, NAMES: ["a", "b"], helper: () => 1 };
    expect((await load(null, together)).names).to.deep.equal(["a", "b"]);
    expect((await load(null, { default: together })).names).to.deep.equal(["a", "b"]);
    expect((await load(null, { ...together, default: together, "module.exports": together })).names).to.deep.equal([
      "a",
      "b",
    ]);
  });
});
