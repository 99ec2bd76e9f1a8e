import type { MediaReader } from "../../data/index.js";
import type { Logger } from "../../host/types.js";
import type { RpcClient } from "../../host/workers/rpc.js";
import type { LlmClient, TokenOutput } from "../../rollout/rollout.js";
import { noTracer, RelayTracer, type Tracer } from "../../tracing/index.js";
import type { Interaction, InteractionTurn } from "../interactions/interaction.js";
import type { TakeMessages } from "../loops/loop-media.js";
import type { Tool, ToolResult } from "../tools/tool.js";
import type { DriverCalls, TakenInDriver, ThreadSession } from "./protocol.js";

/** In a thread: the parts of a session's context that live in the driver, by the same interfaces. */
export class DriverParts {
  readonly client: LlmClient;
  readonly tools: readonly Tool[];
  readonly interactions: ReadonlyMap<string, Interaction>;
  /** Without the placeholders, which the thread knows. */
  readonly take: TakeMessages;
  readonly bytes: MediaReader["bytes"];
  readonly logger: Logger;
  readonly tracer: Tracer;

  constructor(
    private readonly rpc: RpcClient,
    { id: session, tools, interactions, trace }: Pick<ThreadSession, "id" | "tools" | "interactions" | "trace">,
  ) {
    this.tracer = trace ? new RelayTracer((event) => this.#tell({ session, event }), trace.wantsText) : noTracer;
    this.client = {
      generate: (request, options) => this.#ask<TokenOutput>("generate", { session, request }, options?.signal),
    };
    this.take = async (messages, { signal }) => {
      const taken = await this.#ask<TakenInDriver>("takeMedia", { session, messages }, signal);
      const find = (reference: unknown) => taken.prepared.get(String(reference)) ?? null;
      return { messages: taken.messages, tokens: { placeholders: new Map(), find } };
    };
    this.bytes = ({ id }, options) => this.#ask<Uint8Array>("mediaBytes", { session, id }, options?.signal);
    this.tools = tools.map(({ schema, admits }): Tool => {
      const { name } = schema.function;
      const admit = async (signal: AbortSignal) => {
        const ticket = await this.#ask<number>("tool", { session, name, call: { step: "admit" } }, signal);
        // A session that has ended has left already.
        return () => void this.#ask("tool", { session, name, call: { step: "leave", ticket } }).catch(() => {});
      };
      return {
        name,
        schema,
        ...(admits ? { admit } : {}),
        create: (instanceId, createKwargs) =>
          this.#ask("tool", { session, name, call: { step: "create", instanceId, createKwargs } }),
        execute: (instanceId, args, signal) =>
          this.#ask<ToolResult>("tool", { session, name, call: { step: "execute", instanceId, args } }, signal),
        calcReward: (instanceId) => this.#ask<number>("tool", { session, name, call: { step: "reward", instanceId } }),
        release: (instanceId) => this.#ask("tool", { session, name, call: { step: "release", instanceId } }),
      };
    });
    this.interactions = new Map(
      interactions.map((name): [string, Interaction] => [
        name,
        {
          name,
          startInteraction: (instanceId, kwargs) =>
            this.#ask("interaction", { session, name, call: { step: "start", instanceId, kwargs } }),
          generateResponse: (instanceId, messages, kwargs, signal) => {
            const call = { step: "respond", instanceId, messages, kwargs } as const;
            return this.#ask<InteractionTurn>("interaction", { session, name, call }, signal);
          },
          calculateScore: (instanceId, kwargs) =>
            this.#ask<number>("interaction", { session, name, call: { step: "score", instanceId, kwargs } }),
          finalizeInteraction: (instanceId, kwargs) =>
            this.#ask("interaction", { session, name, call: { step: "finalize", instanceId, kwargs } }),
        },
      ]),
    );
    this.logger = loggerOf(rpc);
  }

  /** What is asked is asked inside the innermost span around it. */
  #ask<T = void>(method: Asked, args: WithoutSpan<DriverCalls[Asked]>, signal?: AbortSignal): Promise<T> {
    const span = this.tracer instanceof RelayTracer ? this.tracer.current : null;
    return this.rpc.call<T>(method, { ...args, span }, { signal });
  }

  /** Nobody waits for it; of a session that has ended nothing more is told. */
  #tell(span: DriverCalls["span"]): void {
    this.rpc.call("span", span).catch(() => {});
  }
}

type Asked = "generate" | "tool" | "takeMedia" | "mediaBytes" | "interaction";
type WithoutSpan<C> = C extends unknown ? Omit<C, "span"> : never;

/** Lines go to the driver's log; nobody waits for them. */
export function loggerOf(rpc: RpcClient): Logger {
  const line = (level: keyof Logger) => (message: string) => {
    rpc.call("log", { level, message } satisfies DriverCalls["log"]).catch(() => {});
  };
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}
