import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { z } from "zod";
import {
  BaseTool,
  functionTool,
  loadTools,
  type Tool,
  ToolExecutor,
  ToolSet,
  type ToolSource,
} from "../../../../core/agent/index.js";
import { isVerlError } from "../../../../core/host/errors.js";

const schema = (name: string) => ({ type: "function" as const, function: { name } });
const session = () => ({ trajectoryId: "u_0", row: {}, state: new Map<string, unknown>() });

async function execute(tool: Tool, args: string, signal = new AbortController().signal, deadlineMs = 1000) {
  const warnings: string[] = [];
  const limits = { deadlineMs, maxResponseLength: 256, truncateSide: "middle" };
  const scope = {
    session: session(),
    toolsKwargs: { t: { create_kwargs: { k: 1 } } },
    signal,
    logger: { warn: (text: string) => void warnings.push(text) },
  };
  const executor = new ToolExecutor(await ToolSet.of([tool]), limits, scope);
  const [record] = await executor.run([{ name: "t", arguments: args, id: "c1", problem: null }]);
  return { record, warnings };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return isVerlError(error) ? error.code : String(error);
}

class Steps extends BaseTool {
  readonly steps: string[] = [];
  override create(id: string, kwargs: object) {
    this.steps.push(`create ${id} ${JSON.stringify(kwargs)}`);
  }
  execute(id: string, args: { readonly fail?: unknown }) {
    this.steps.push(`execute ${id}`);
    if (args.fail) throw new Error("broken");
    return { text: "done" };
  }
  override release(id: string) {
    this.steps.push(`release ${id}`);
  }
}

describe("core/agent/tools", () => {
  it("creates, executes and releases an instance for a call, with the row's create_kwargs", async () => {
    const tool = new Steps({}, schema("t"));
    await execute(tool, "{}");
    expect(tool.steps).to.deep.equal(['create u_0_0 {"k":1}', "execute u_0_0", "release u_0_0"]);
  });

  it("releases an instance whose call failed", async () => {
    const tool = new Steps({}, schema("t"));
    const { record } = await execute(tool, '{"fail": true}');
    expect(record.outcome).to.equal("failed");
    expect(tool.steps.at(-1)).to.equal("release u_0_0");
  });

  it("a release that fails is a warning, and the result stays", async () => {
    const tool: Tool = {
      name: "t",
      schema: schema("t"),
      execute: () => ({ text: "fine" }),
      release: () => Promise.reject(new Error("stuck")),
    };
    const { record, warnings } = await execute(tool, "{}");
    expect(record.message).to.deep.equal({ role: "tool", content: "fine", tool_call_id: "c1" });
    expect(warnings).to.deep.equal(['the tool "t" could not be released: stuck']);
  });

  it("rejects with the session's reason when the session is cancelled", async () => {
    const cancel = new AbortController();
    const reason = new Error("cancelled");
    const tool: Tool = {
      name: "t",
      schema: schema("t"),
      execute: () => {
        cancel.abort(reason);
        return new Promise(() => {});
      },
    };
    expect(await execute(tool, "{}", cancel.signal).catch((error: unknown) => error)).to.equal(reason);
  });

  it("media end the session", async () => {
    const tool: Tool = { name: "t", schema: schema("t"), execute: () => ({ text: "", media: [{ type: "image" }] }) };
    expect(await codeOf(execute(tool, "{}"))).to.equal("VERL_AGENT_MEDIA");
  });

  it("a result without text, or with a reward that is no number, is a failure", async () => {
    for (const result of [{}, null, { text: "x", reward: Number.NaN }, { text: "x", metrics: { m: Infinity } }]) {
      const tool: Tool = { name: "t", schema: schema("t"), execute: () => result as never };
      expect((await execute(tool, "{}")).record.outcome).to.equal("failed");
    }
  });

  it("gives a function what its schema object parsed, and shows the model its JSON schema", async () => {
    const parameters = z.object({ a: z.number().default(3).describe("first"), b: z.enum(["x"]).optional() });
    const tool = functionTool(({ a }) => ({ got: a }), { name: "t", description: "T.", parameters });
    expect(tool.schema.function.parameters).to.deep.equal({
      type: "object",
      properties: { a: { type: "number", default: 3, description: "first" }, b: { type: "string", enum: ["x"] } },
    });
    expect((await execute(tool, "{}")).record.message.content).to.equal('{"got":3}');
    expect((await execute(tool, '{"b": "y"}')).record.message.content).to.contain(
      'b must be equal to one of the allowed values: ["x"]',
    );
  });

  it("refuses two tools of one name, and schemas that cannot be used", async () => {
    const tool = functionTool(() => "", { name: "t", description: "T.", parameters: { type: "object" } });
    const broken = functionTool(() => "", { name: "b", description: "B.", parameters: { type: "nonsense" } });
    expect(await codeOf(ToolSet.of([tool, tool]))).to.equal("VERL_AGENT_BAD_TOOL");
    expect(await codeOf(ToolSet.of([broken]))).to.equal("VERL_AGENT_BAD_TOOL");
  });

  describe("loadTools", () => {
    let cwd: string;
    beforeEach(async () => {
      cwd = await mkdtemp(path.join(tmpdir(), "tools-"));
    });
    afterEach(() => rm(cwd, { recursive: true }));

    const make = (name: string) => functionTool(() => "", { name, description: "T.", parameters: { type: "object" } });

    async function load(yaml: string | null, module: Record<string, unknown> | null, warnings: string[] = []) {
      if (yaml !== null) await writeFile(path.join(cwd, "tools.yaml"), yaml);
      const source: ToolSource = {
        configPath: yaml === null ? null : "tools.yaml",
        functionPath: module === null ? null : "./tools.mjs",
        cwd,
        loadUserModule: async (_, exportName) => (exportName === null ? module : { Steps, nothing: 1 }[exportName]),
        logger: { warn: (text) => void warnings.push(text) },
      };
      return loadTools(source);
    }

    const entry = (name: string, type = "native") =>
      `tools:\n  - class_name: ./x.ts#Steps\n    config: { type: ${type}, k: 2 }\n    tool_schema: { type: function, function: { name: ${name} } }\n`;

    it("takes configured tools first, then exported ones by name", async () => {
      const tools = await load(entry("s"), { z: make("z"), list: [make("a")], other: 1, again: null });
      expect(tools.names).to.deep.equal(["s", "a", "z"]);
      expect((tools.find("s") as Steps).config).to.deep.equal({ type: "native", k: 2 });
    });

    it("refuses a name that is in both, another type, and what is no class or list", async () => {
      expect(await codeOf(load(entry("a"), { a: make("a") }))).to.equal("VERL_AGENT_BAD_TOOL");
      for (const yaml of [
        entry("a", "mcp"),
        "- x",
        "tools: [{class_name: nowhere}]",
        "tools: [{class_name: ./x.ts#nothing}]",
        "tools: [",
        entry("''"),
        entry("a, parameters: text"),
        "tools: [{class_name: ./x.ts#Steps, config: text, tool_schema: {function: {name: a}}}]",
      ]) {
        expect(await codeOf(load(yaml, null)), yaml).to.equal("VERL_AGENT_BAD_TOOL");
      }
    });

    it("warns of a module without tools", async () => {
      const warnings: string[] = [];
      expect((await load(null, { x: 1 }, warnings)).names).to.deep.equal([]);
      expect(warnings).to.deep.equal(["./tools.mjs exports no tool; make one with functionTool"]);
    });
  });
});
