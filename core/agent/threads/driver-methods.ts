import type { CallOptions, Logger } from "../../host/types.js";
import type { AgentLoopContext } from "../agent-loop.js";
import { agentErrors } from "../errors.js";
import type { ToolSession } from "../tools/tool.js";
import type { DriverCalls } from "./protocol.js";

/** A session that runs in a thread, as the driver keeps it. */
export interface DriverSession {
  readonly context: Pick<AgentLoopContext, "client" | "tools" | "interactions">;
  /** The one that tools see; its state stays here. */
  readonly toolSession: ToolSession;
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
  return {
    async generate({ session, request }, options) {
      return sessionOf(session).context.client.generate(request, options);
    },
    async tool({ session, name, call }, { signal }) {
      const { context, toolSession } = sessionOf(session);
      const tool = context.tools.find(name);
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
