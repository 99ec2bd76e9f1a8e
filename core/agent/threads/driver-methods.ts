import { mediaKindOf, mediaPartsOf, readableMedium } from "../../data/index.js";
import type { ChatContentPart, ChatMessage } from "../../data/tokenizer.js";
import { reasonOf } from "../../host/errors.js";
import type { Awaitable, CallOptions, Logger } from "../../host/types.js";
import { withDeadline } from "../../host/util/deadline.js";
import { isObject } from "../../host/util/plain-object.js";
import type { RelayedSpans } from "../../tracing/index.js";
import { settled } from "../abortable.js";
import type { AgentLoopContext } from "../agent-loop.js";
import { agentErrors } from "../errors.js";
import { takeMediaOf } from "../tools/result-media.js";
import type { Tool, ToolResult, ToolSession } from "../tools/tool.js";
import type { DriverCalls, TakenInDriver } from "./protocol.js";

/** A session that runs in a thread, as the driver keeps it. */
export interface DriverSession {
  readonly context: Pick<AgentLoopContext, "client" | "tools" | "interactions" | "media" | "multiTurn" | "signal">;
  /** The one that tools see; its state stays here. */
  readonly toolSession: ToolSession;
  /** Calls that tools have admitted, by ticket. */
  readonly admitted: Map<number, () => void>;
  /** What its thread has not given back: instances of tools, simulated users. */
  readonly held: Map<string, Held>;
  readonly spans: RelayedSpans;
  /** Its thread has come to it. */
  begin(): void;
}

interface Held {
  /** Settles when there is something to give back. */
  readonly made: Promise<unknown>;
  giveBack(): Awaitable<void> | undefined;
}

/** Ends what a session has left open: its thread may be gone. Never rejects. */
export async function leaveAll(session: DriverSession, logger: Pick<Logger, "warn">): Promise<void> {
  const { admitted, held } = session;
  for (const leave of admitted.values()) leave();
  admitted.clear();
  const { deadlineMs } = session.context.multiTurn.toolCalls;
  const late = () => new Error(`it took longer than ${deadlineMs / 1000} s`);
  const all = [...held].map(async ([what, { made, giveBack }]) => {
    await withDeadline(made, deadlineMs, late).catch(() => {});
    await withDeadline(settled(giveBack), deadlineMs, late).catch((error: unknown) =>
      logger.warn(`${what} could not be ended: ${reasonOf(error)}`),
    );
  });
  held.clear();
  await Promise.all(all);
}

type Answered<T extends keyof DriverCalls> = (args: DriverCalls[T], options: Required<CallOptions>) => Promise<unknown>;

/**
 * The driver's side of a thread: models, tools and simulated users stay here, where their connections are. What a session asks for
 * happens inside the span in which it asks, so that spans of the driver's become part of it. What a session that is over would give
 * back has been given back.
 */
export function driverMethods(
  sessions: ReadonlyMap<number, DriverSession>,
  logger: Logger,
): { readonly [T in keyof DriverCalls]: Answered<T> } {
  /** The session, and the signal of what it asks for: a thread that computes cannot say that the session is over. */
  const sessionOf = (id: number, { signal }: Required<CallOptions>): DriverSession & Required<CallOptions> => {
    const session = sessions.get(id);
    if (session) return { ...session, signal: AbortSignal.any([signal, session.context.signal]) };
    throw agentErrors.VERL_AGENT_CANCELLED({ what: "a session that has ended went on in its thread" });
  };
  let tickets = 0;

  async function admit(id: number, tool: Tool | null, signal: AbortSignal): Promise<number> {
    const ticket = tickets++;
    const leave = (await tool?.admit?.(signal)) ?? (() => {});
    const session = sessions.get(id);
    if (session) session.admitted.set(ticket, leave);
    else leave();
    return ticket;
  }

  return {
    async begun({ session }) {
      sessions.get(session)?.begin();
    },
    async generate({ session, span, request }, options) {
      const { context, spans, signal } = sessionOf(session, options);
      return spans.inside(span, () => context.client.generate(request, { signal }));
    },
    async tool({ session, span, name, call }, options) {
      if (!sessions.has(session) && (call.step === "release" || call.step === "leave")) return;
      const { context, toolSession, admitted, held, spans, signal } = sessionOf(session, options);
      const tool = context.tools.find(name);
      return spans.inside(span, () => {
        if (call.step === "admit") return admit(session, tool, signal);
        if (call.step === "leave") {
          admitted.get(call.ticket)?.();
          admitted.delete(call.ticket);
          return;
        }
        const { instanceId } = call;
        const instance = `the instance ${instanceId} of the tool "${name}"`;
        if (call.step === "create") {
          const made = settled(() => tool?.create?.(instanceId, call.createKwargs, toolSession));
          held.set(instance, { made, giveBack: () => tool?.release?.(instanceId) });
          return made;
        }
        if (call.step === "execute") {
          const executed = settled(() => tool?.execute(instanceId, call.args, signal, toolSession));
          return executed.then((result) => byReference(`the tool "${name}"`, result, context.media));
        }
        if (call.step === "reward") return tool?.calcReward?.(instanceId) ?? 0;
        held.delete(instance);
        return tool?.release?.(instanceId);
      });
    },
    async mediaBytes({ session, span, id }, options) {
      const { context, spans, signal } = sessionOf(session, options);
      return spans.inside(span, () => context.media.bytes({ id }, { signal }));
    },
    async takeMedia({ session, span, messages }, options) {
      const { context, spans } = sessionOf(session, options);
      return spans.inside(span, () => takenInDriver(messages, context.media));
    },
    async interaction({ session, span, name, call }, options) {
      if (!sessions.has(session) && call.step === "finalize") return;
      const { context, held, spans, signal } = sessionOf(session, options);
      const user = context.interactions.get(name);
      const { instanceId, kwargs } = call;
      const instance = `the interaction "${name}" of ${instanceId}`;
      return spans.inside(span, () => {
        if (call.step === "respond") {
          const { media } = context;
          const shown = mediaPartsOf(call.messages).flatMap(({ value }) => media.find(value)?.ref ?? []);
          const readable = shown.map((ref) => readableMedium(ref, media));
          const said = settled(() => user?.generateResponse(instanceId, call.messages, kwargs, signal, readable));
          return said.then((turn) => byReference(`the interaction "${name}"`, turn, media));
        }
        if (call.step === "start") {
          const made = settled(() => user?.startInteraction?.(instanceId, kwargs));
          held.set(instance, { made, giveBack: () => user?.finalizeInteraction?.(instanceId, kwargs) });
          return made;
        }
        if (call.step === "score") return user?.calculateScore?.(instanceId, kwargs) ?? 0;
        held.delete(instance);
        return user?.finalizeInteraction?.(instanceId, kwargs);
      });
    },
    async span({ session, event }) {
      sessions.get(session)?.spans.take(event);
    },
    async log({ level, message }) {
      logger[level](message);
    },
  };
}

/** Media of results stay in the driver where the model understands them; what it does not is refused in the thread. */
async function byReference<R extends Pick<ToolResult, "media">>(
  who: string,
  result: R | undefined,
  media: AgentLoopContext["media"],
): Promise<R | undefined> {
  const parts: readonly unknown[] = Array.isArray(result?.media) ? result.media : [];
  const isUsable = (part: unknown) => {
    const kind = isObject(part) ? mediaKindOf(part as ChatContentPart) : null;
    return kind !== null && media.kinds.includes(kind);
  };
  if (!result || !parts.every(isUsable)) return result;
  return takeMediaOf(who, result, media);
}

async function takenInDriver(
  messages: readonly ChatMessage[],
  media: AgentLoopContext["media"],
): Promise<TakenInDriver> {
  const taken = await media.take(messages);
  const prepared = mediaPartsOf(taken).flatMap(({ value }) => {
    const found = media.find(value);
    return found ? [[String(value), found] as const] : [];
  });
  return { messages: taken, prepared: new Map(prepared) };
}
