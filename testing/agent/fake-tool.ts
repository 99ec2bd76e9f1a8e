import type { JsonObject, Tool, ToolFactory, ToolResult } from "../../core/plugin.js";

export interface FakeToolOptions {
  /** Default `fake`. */
  readonly name?: string;
  /** JSON schema of the arguments; default: any object. */
  readonly parameters?: JsonObject;
  /** What a call gives back; default: its arguments as JSON. */
  readonly answer?: (args: JsonObject, signal: AbortSignal) => ToolResult | Promise<ToolResult>;
}

/** What happened to a fake tool, in order: `create`, `execute` and `release` with the instance's id. */
export type FakeToolEvent = readonly [step: "create" | "execute" | "release", instanceId: string];

/** A tool that answers as told and remembers what was asked of it. */
export class FakeTool implements Tool {
  readonly name: string;
  readonly schema: Tool["schema"];
  readonly calls: JsonObject[] = [];
  readonly events: FakeToolEvent[] = [];
  readonly #answer: NonNullable<FakeToolOptions["answer"]>;

  constructor(options: FakeToolOptions = {}) {
    const { name = "fake", parameters = { type: "object" }, answer } = options;
    this.name = name;
    this.schema = { type: "function", function: { name, description: "A tool of the tests.", parameters } };
    this.#answer = answer ?? ((args) => ({ text: JSON.stringify(args) }));
  }

  create(instanceId: string): void {
    this.events.push(["create", instanceId]);
  }

  async execute(instanceId: string, args: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    this.events.push(["execute", instanceId]);
    this.calls.push(args);
    return this.#answer(args, signal);
  }

  release(instanceId: string): void {
    this.events.push(["release", instanceId]);
  }
}

/** The same, to register. */
export function fakeToolFactory(options: FakeToolOptions = {}): ToolFactory {
  return { name: options.name ?? "fake", create: () => ({ tools: [new FakeTool(options)] }) };
}
