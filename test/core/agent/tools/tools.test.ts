import { expect } from "chai";
import { z } from "zod";
import {
  BadToolArguments,
  BaseTool,
  functionTool,
  type Tool,
  ToolExecutor,
  ToolSet,
} from "../../../../core/agent/index.js";
import { isVerlError } from "../../../../core/host/errors.js";

const schema = (name: string) => ({ type: "function" as const, function: { name } });
const session = () => ({ trajectoryId: "u_0", row: {}, state: new Map<string, unknown>() });

async function execute(
  tool: Tool,
  args: string,
  options: { readonly signal?: AbortSignal; readonly deadlineMs?: number; readonly takesMedia?: boolean } = {},
) {
  const { signal = new AbortController().signal, deadlineMs = 1000, takesMedia } = options;
  const warnings: string[] = [];
  const limits = { deadlineMs, maxResponseLength: 256, truncateSide: "middle" };
  const scope = {
    session: session(),
    toolsKwargs: { t: { create_kwargs: { k: 1 } } },
    signal,
    takesMedia,
    logger: { warn: (text: string) => void warnings.push(text) },
  };
  const executor = new ToolExecutor(await ToolSet.of([tool]), limits, scope);
  const [record] = await executor.run([{ name: "t", arguments: args, id: "c1", problem: null }]);
  return { record, warnings };
}

const executed = (tool: Tool) => execute(tool, "{}");
const refuse = () => {
  throw new Error("no look");
};

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
  override calcReward() {
    this.steps.push("never: a result brings its reward");
    return 1;
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
    expect(await execute(tool, "{}", { signal: cancel.signal }).catch((error: unknown) => error)).to.equal(reason);
  });

  it("media end the session", async () => {
    const tool: Tool = { name: "t", schema: schema("t"), execute: () => ({ text: "", media: [{ type: "image" }] }) };
    expect(await codeOf(execute(tool, "{}"))).to.equal("VERL_AGENT_MEDIA");
  });

  it("media come before the text where the loop takes them", async () => {
    const tool: Tool = {
      name: "t",
      schema: schema("t"),
      execute: () => ({ text: "a cat", media: [{ type: "image", image: "data:," }] }),
    };
    const { record } = await execute(tool, "{}", { takesMedia: true });
    expect(record.message.content).to.deep.equal([
      { type: "image", image: "data:," },
      { type: "text", text: "a cat" },
    ]);
  });

  it("a result that says it is an error is a failure that the model reads, with the reward 0", async () => {
    const tool = functionTool(() => ({ text: "no such city", isError: true, metrics: { misses: 1 } }), {
      name: "t",
      description: "T.",
      parameters: { type: "object" },
    });
    const { record } = await execute(tool, "{}");
    expect(record).to.deep.include({ outcome: "failed", reward: 0, metrics: { misses: 1 } });
    expect(record.message.content).to.equal("no such city");
  });

  it("waits for a tool to admit the call before the call's deadline begins, and says when it has ended", async () => {
    const events: string[] = [];
    const deadlineMs = 10;
    const tool: Tool = {
      name: "t",
      schema: schema("t"),
      admit: () => new Promise((resolve) => setTimeout(() => resolve(() => events.push("left")), 2 * deadlineMs)),
      create: () => void events.push("created"),
      execute: () => ({ text: "done" }),
      release: () => void events.push("released"),
    };
    expect((await execute(tool, "{}", { deadlineMs })).record.outcome).to.equal("ok");
    expect(events).to.deep.equal(["created", "released", "left"]);
  });

  it("a tool that cannot admit a call has failed, and a cancelled session waits no longer", async () => {
    const failing: Tool = {
      name: "t",
      schema: schema("t"),
      admit: () => Promise.reject(new Error("closed")),
      execute: () => ({ text: "" }),
    };
    expect((await execute(failing, "{}")).record).to.deep.include({ outcome: "failed", reward: 0 });
    const cancel = new AbortController();
    const reason = new Error("cancelled");
    const waiting: Tool = {
      ...failing,
      admit: () => {
        cancel.abort(reason);
        return new Promise(() => {});
      },
    };
    expect(await execute(waiting, "{}", { signal: cancel.signal }).catch((error: unknown) => error)).to.equal(reason);
  });

  it("a result without text, or with a reward that is no number, is a failure", async () => {
    for (const result of [
      {},
      null,
      { text: "x", reward: Number.NaN },
      { text: "x", reward: 1e39 },
      { text: "x", metrics: { m: Infinity } },
    ]) {
      const tool: Tool = { name: "t", schema: schema("t"), execute: () => result as never };
      expect((await execute(tool, "{}")).record.outcome).to.equal("failed");
    }
  });

  for (const [what, execute, text] of [
    ["throws null", () => Promise.reject(null), "failed: null"],
    [
      "throws a proxy that refuses to be looked at",
      () => Promise.reject(new Proxy({}, { getPrototypeOf: refuse, get: refuse })),
      "failed: something was thrown that cannot be printed",
    ],
    ["returns an object whose getters throw", () => new Proxy({}, { get: refuse }), "failed: no look"],
    ["returns media that are no list", () => ({ text: "", media: 5 }), "its media are no list"],
    ["returns metrics that are no object", () => ({ text: "", metrics: [1] }), "its metrics are no object"],
  ] as const) {
    it(`a tool that ${what} has failed, and the model reads it`, async () => {
      const tool = { name: "t", schema: schema("t"), execute } as unknown as Tool;
      const { record } = await executed(tool);
      expect(record.outcome).to.equal("failed");
      expect(record.message.content).to.contain(text);
    });
  }

  it("a place that cannot be left is a warning, and one that is none does no harm", async () => {
    const made = (leave: unknown) =>
      ({ name: "t", schema: schema("t"), admit: () => leave, execute: () => ({ text: "fine" }) }) as unknown as Tool;
    for (const [leave, told] of [
      [refuse, ['the tool "t" could not be released: no look']],
      ["a place", []],
    ] as const) {
      const { record, warnings } = await executed(made(leave));
      expect([record.outcome, warnings]).to.deep.equal(["ok", told]);
    }
  });

  it("a function tool that returns a function has failed: its source is no answer", async () => {
    const tool = functionTool(() => () => 1, { name: "t", description: "", parameters: {} });
    const { record } = await executed(tool);
    expect(record.message.content).to.contain("it returned a function");
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

  it("arguments that a schema object's own checks refuse do not fit; one that breaks has failed", async () => {
    const check = (check: (a: string) => boolean) =>
      functionTool(() => "", { name: "t", description: "", parameters: z.object({ a: z.string().refine(check) }) });
    const { record } = await execute(
      check((a) => a.startsWith("b")),
      '{"a": "x"}',
    );
    expect(record.outcome).to.equal("bad_arguments");
    expect(record.message.content).to.equal('Error: the arguments of "t" do not fit: a: Invalid input');
    expect((await execute(check(refuse), '{"a": "x"}')).record.outcome).to.equal("failed");
  });

  it("a tool refuses arguments that its schema lets through", async () => {
    const tool = functionTool(() => Promise.reject(new BadToolArguments("b is odd")), {
      ...{ name: "t", description: "", parameters: {} },
    });
    const { record } = await executed(tool);
    expect(record.outcome).to.equal("bad_arguments");
    expect(record.message.content).to.equal('Error: the arguments of "t" do not fit: b is odd');
  });

  it("refuses parameters that are missing, or cannot be written as JSON schema, by the tool's name and the line", () => {
    const make = (parameters: never) => () => functionTool(() => "", { name: "t", description: "", parameters });
    expect(make(undefined as never)).to.throw('functionTool ("t") needs the option parameters');
    expect(make(z.object({ at: z.date() }) as never))
      .to.throw('the parameters of the tool "t" cannot be written as JSON schema')
      .with.property("code", "VERL_AGENT_BAD_TOOL");
  });

  it("refuses parameters that no call can fit", async () => {
    const typed = (type: string | string[]) =>
      ToolSet.of([functionTool(() => "", { name: "t", description: "", parameters: { type } })]);
    expect(await codeOf(typed("array"))).to.equal("VERL_AGENT_BAD_TOOL");
    expect((await typed(["object", "null"])).names).to.deep.equal(["t"]);
  });

  it("refuses two tools of one name, and schemas that cannot be used", async () => {
    const tool = functionTool(() => "", { name: "t", description: "T.", parameters: { type: "object" } });
    const broken = functionTool(() => "", { name: "b", description: "B.", parameters: { type: "nonsense" } });
    expect(await codeOf(ToolSet.of([tool, tool]))).to.equal("VERL_AGENT_BAD_TOOL");
    expect(await codeOf(ToolSet.of([broken]))).to.equal("VERL_AGENT_BAD_TOOL");
  });
});
