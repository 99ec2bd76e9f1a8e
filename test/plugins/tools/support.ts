import { setMaxListeners } from "node:events";
import {
  type JsonObject,
  type Tool,
  type ToolCallRecord,
  ToolExecutor,
  type ToolFactory,
  type ToolFactoryOptions,
  type ToolGroup,
  ToolSet,
} from "../../../core/plugin.js";
import { toolFactoryOptions } from "../../../testing/index.js";

/** Tools of one entry, called as a trajectory calls them; ended when it goes out of scope. */
export class OpenedTools implements AsyncDisposable {
  readonly #executors = new Map<string, ToolExecutor>();

  private constructor(
    private readonly group: ToolGroup,
    private readonly set: ToolSet,
    private readonly over: { readonly deadlineMs?: number; readonly takesMedia?: boolean },
  ) {}

  static async of(
    factory: ToolFactory,
    options: Partial<ToolFactoryOptions> = {},
    over: { readonly deadlineMs?: number; readonly takesMedia?: boolean } = {},
  ): Promise<OpenedTools> {
    const group = await factory.create({ ...toolFactoryOptions(), ...options });
    return new OpenedTools(group, await ToolSet.of(group.tools), over);
  }

  get names(): readonly string[] {
    return this.set.names;
  }

  tool(name: string): Tool {
    const tool = this.set.find(name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool;
  }

  /** A call in a trajectory; the same one keeps its state. */
  async call(name: string, args: JsonObject, trajectoryId = "u_0"): Promise<ToolCallRecord> {
    return (await this.calls([[name, args]], trajectoryId))[0];
  }

  async text(name: string, args: JsonObject, trajectoryId = "u_0"): Promise<string> {
    return String((await this.call(name, args, trajectoryId)).message.content);
  }

  calls(
    calls: readonly (readonly [name: string, args: JsonObject])[],
    trajectoryId = "u_0",
  ): Promise<ToolCallRecord[]> {
    return this.#executor(trajectoryId).run(
      calls.map(([name, args], i) => ({ name, arguments: JSON.stringify(args), id: `c${i}`, problem: null })),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.group.dispose?.();
  }

  #executor(trajectoryId: string): ToolExecutor {
    const { deadlineMs = 30_000, takesMedia = false } = this.over;
    const { signal } = new AbortController();
    // As the manager does: every call in flight listens to it.
    setMaxListeners(0, signal);
    const executor =
      this.#executors.get(trajectoryId) ??
      new ToolExecutor(
        this.set,
        { deadlineMs, maxResponseLength: 100_000, truncateSide: "middle" },
        {
          session: { trajectoryId, row: {}, state: new Map() },
          toolsKwargs: {},
          signal,
          logger: { warn() {} },
          takesMedia,
        },
      );
    this.#executors.set(trajectoryId, executor);
    return executor;
  }
}

/** The error of a promise that rejects. */
export async function errorOf(work: Promise<unknown>): Promise<Record<"code" | "message", string>> {
  const error = await work.then(
    () => new Error("nothing was wrong"),
    (reason: unknown) => reason,
  );
  return error as Record<"code" | "message", string>;
}
