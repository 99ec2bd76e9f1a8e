import type { AgentLoopFactory, AgentLoopOutput } from "../agent-loop.js";

type Outputs = AgentLoopOutput | readonly AgentLoopOutput[];

interface Session {
  readonly outputs: Promise<Outputs>;
  settle(outcome: Promise<Outputs>): void;
}

/** Sessions whose trajectories come from outside: each is an agent loop that waits for what is handed over. */
export class DeliveredSessions {
  readonly #sessions = new Map<string, Session>();
  readonly factory: AgentLoopFactory;

  /** @param name  who delivers; stored with the trajectories */
  constructor(name: string) {
    this.factory = { name, create: ({ trajectoryId }) => ({ run: () => this.#session(trajectoryId).outputs }) };
  }

  /** The loop may be started before or after. */
  settle(trajectoryId: string, outcome: Promise<Outputs>): void {
    this.#session(trajectoryId).settle(outcome);
  }

  forget(trajectoryId: string): void {
    this.#sessions.delete(trajectoryId);
  }

  #session(trajectoryId: string): Session {
    const known = this.#sessions.get(trajectoryId);
    if (known) return known;
    let settle: Session["settle"] = () => {};
    const outputs = new Promise<Outputs>((resolve) => {
      settle = resolve;
    });
    // Until its loop listens, a failure is no unhandled rejection.
    outputs.catch(() => {});
    const session = { outputs, settle };
    this.#sessions.set(trajectoryId, session);
    return session;
  }
}
