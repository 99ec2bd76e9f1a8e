import type { CallOptions, Logger } from "../../host/types.js";
import type { AgentLoopContext } from "../agent-loop.js";
import { agentErrors } from "../errors.js";
import type { Tool, ToolSession } from "../tools/tool.js";
import type { DriverCalls } from "./protocol.js";

/** A session that runs in a thread, as the driver keeps it. */
export interface DriverSession {
  readonly context: Pick<AgentLoopContext, "client" | "tools" | "interactions">;
  /** The one that tools see; its state stays here. */
  readonly toolSession: ToolSession;
  /** Calls that tools have admitted, by ticket. */
  readonly admitted: Map<number, () => void>;
}

/** Ends what a session has left open: its thread may be gone. */
export function leaveAll({ admitted }: DriverSession): void {
  for (const leave of admitted.values()) leave();
  admitted.clear();
}

type Answered<T extends keyof DriverCalls> = (args: DriverCalls[T], options: Required<CallOptions>) => Promise<unknown>;

/** The driver's side of a thread: models, tools and simulated users stay here, where their connections are. */
export function driverMethods(
  sessions: ReadonlyMap<number, DriverSession>,
  logger: Logger,
): { readonly [T in keyof DriverCalls]: Answered<T> } {
  const sessionOf = (id: number): DriverSession => {
    const session = sessions.get(id);
    if (session) return session;
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
    async generate({ session, request }, options) {
      return sessionOf(session).context.client.generate(request, options);
    },
    async tool({ session, name, call }, { signal }) {
      const { context, toolSession, admitted } = sessionOf(session);
      const tool = context.tools.find(name);
      if (call.step === "admit") return admit(session, tool, signal);
      if (call.step === "leave") {
        admitted.get(call.ticket)?.();
        admitted.delete(call.ticket);
        return;
      }
      const { instanceId } = call;
      if (call.step === "create") return tool?.create?.(instanceId, call.createKwargs, toolSession);
      if (call.step === "release") return tool?.release?.(instanceId);
      return tool?.execute(instanceId, call.args, signal, toolSession);
    },
    async interaction({ session, name, call }, { signal }) {
      const user = sessionOf(session).context.interactions.get(name);
      const { instanceId, kwargs } = call;
      if (call.step === "respond") return user?.generateResponse(instanceId, call.messages, kwargs, signal);
      return call.step === "start"
        ? user?.startInteraction?.(instanceId, kwargs)
        : user?.finalizeInteraction?.(instanceId, kwargs);
    },
    async log({ level, message }) {
      logger[level](message);
    },
  };
}
