import assert from "node:assert/strict";
import {
  type JsonObject,
  type ToolCallRecord,
  ToolExecutor,
  type ToolFactory,
  type ToolFactoryOptions,
  type ToolGroup,
  ToolSet,
} from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import { createFakeSandbox } from "../sandbox/fake-sandbox.js";

export interface ToolUnderTest {
  readonly factory: ToolFactory;
  /** The entry of `tool_config_path`; sandbox: a fake one. */
  readonly options?: Partial<ToolFactoryOptions>;
  /** Calls that succeed. */
  readonly calls?: readonly { readonly tool: string; readonly args: JsonObject }[];
}

/** What a registered tool must do. Run it with `runConformance`. */
export function toolConformance({ factory, options, calls = [] }: ToolUnderTest): ConformanceCase[] {
  async function withTools<T>(work: (group: ToolGroup, set: ToolSet) => Promise<T>): Promise<T> {
    const sandbox = createFakeSandbox({ languages: ["python", "bash", "javascript"] });
    const group = await factory.create({ ...toolFactoryOptions(), sandbox: async () => sandbox, ...options });
    try {
      return await work(group, await ToolSet.of(group.tools));
    } finally {
      await group.dispose?.();
      await sandbox.close();
    }
  }

  async function run(set: ToolSet, wanted: typeof calls, signal = new AbortController().signal) {
    const executor = new ToolExecutor(
      set,
      { deadlineMs: 60_000, maxResponseLength: 10_000, truncateSide: "middle" },
      {
        session: { trajectoryId: "u_0", row: {}, state: new Map() },
        toolsKwargs: {},
        signal,
        logger: { warn: (text) => assert.fail(text) },
        takesMedia: true,
      },
    );
    return executor.run(
      wanted.map(({ tool, args }, i) => ({
        name: tool,
        arguments: JSON.stringify(args),
        id: `c${i}`,
        problem: null,
      })),
    );
  }

  return [
    {
      name: "makes tools with schemas that can be used, each under a name of its own",
      run: () =>
        withTools(async (group, set) => {
          assert.ok(group.tools.length > 0, "at least one tool");
          for (const { schema } of group.tools) assert.ok(schema.function.description, "a description");
          assert.equal(set.schemas.length, group.tools.length);
        }),
    },
    {
      name: "answers the calls that succeed",
      run: () =>
        withTools(async (_, set) => {
          for (const call of calls) {
            const [record] = await run(set, [call]);
            assert.equal(record.outcome, "ok", String(record.message.content));
          }
        }),
    },
    {
      name: "keeps calls at the same time apart",
      run: () =>
        withTools(async (_, set) => {
          const text = (record: ToolCallRecord) => JSON.stringify(record.message.content);
          const alone: string[] = [];
          for (const call of calls) alone.push(text((await run(set, [call]))[0]));
          const together = await run(set, [...calls, ...calls]);
          assert.deepEqual(together.map(text), [...alone, ...alone]);
        }),
    },
    {
      name: "meets empty arguments with an answer",
      run: () =>
        withTools(async (group, set) => {
          for (const { name } of group.tools) {
            const [record] = await run(set, [{ tool: name, args: {} }]);
            assert.ok(["ok", "bad_arguments", "failed"].includes(record.outcome), record.outcome);
          }
        }),
    },
    {
      name: "settles when the session is cancelled",
      run: () =>
        withTools(async (_, set) => {
          for (const { tool: name, args } of calls) {
            const tool = set.find(name);
            assert.ok(tool, `a tool ${name}`);
            const cancel = new AbortController();
            const session = { trajectoryId: "u_0", row: {}, state: new Map() };
            const leave = await tool.admit?.(cancel.signal);
            await tool.create?.("u_0_0", {}, session);
            const execution = (async () => tool.execute("u_0_0", args, cancel.signal, session))();
            cancel.abort(new Error("cancelled by the suite"));
            await execution.catch(() => {});
            await tool.release?.("u_0_0");
            if (leave) leave();
          }
        }),
    },
    {
      name: "releases an instance that was never created",
      run: () =>
        withTools(async ({ tools }) => {
          for (const tool of tools) await tool.release?.("never_0");
        }),
    },
    {
      name: "can be made again after it has ended",
      async run() {
        const names = () => withTools(async (_, set) => set.names);
        assert.deepEqual(await names(), await names());
      },
    },
  ];
}

/** What a tool is made from where nothing is said: an empty entry, a sandbox that cannot be had. */
export function toolFactoryOptions(): ToolFactoryOptions {
  return {
    config: {},
    schema: null,
    sections: {},
    where: "the tests",
    cwd: process.cwd(),
    env: {},
    sandbox: () => Promise.reject(new Error("there is no sandbox here")),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    signal: new AbortController().signal,
  };
}
