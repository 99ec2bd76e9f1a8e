import { reasonAndPlace } from "../../host/error-place.js";
import type { Logger } from "../../host/types.js";
import { withDeadline } from "../../host/util/deadline.js";
import { ownCopy } from "../../host/util/own-copy.js";
import { settled } from "../abortable.js";
import type { AgentLoopManager, SessionWait } from "../agent-loop.js";
import { agentErrors } from "../errors.js";

/** Longest time that a manager may take to end, once nothing depends on it any more. */
const END_MS = 30_000;

export interface ManagerBounds {
  /** What the configuration calls it. */
  readonly name: string;
  /** `trainer.sample_deadline_s`. */
  readonly deadlineMs: number;
  readonly logger: Pick<Logger, "warn">;
  /** Milliseconds for `cancel` and for `dispose`. */
  readonly endMs?: number;
}

/** A manager that is not ours: no call to it is waited for without end, and who waits for it says its name. */
export class BoundedManager implements AgentLoopManager {
  /** Prompts that were handed over and have not been taken, and since when. */
  readonly #handing = new Map<readonly { readonly uid: string }[], number>();

  constructor(
    private readonly inner: AgentLoopManager,
    private readonly bounds: ManagerBounds,
  ) {}

  get failed(): AbortSignal | undefined {
    return this.inner.failed;
  }

  async submit(...[tasks, options]: Parameters<AgentLoopManager["submit"]>): Promise<void> {
    this.#handing.set(tasks, performance.now());
    const { deadlineMs, name } = this.bounds;
    try {
      await withDeadline(
        settled(() => this.inner.submit(ownCopy(tasks), options)),
        deadlineMs,
        () =>
          agentErrors.VERL_AGENT_MANAGER_STUCK({
            what: `submit of the agent-loop manager ${name} has not settled within ${deadlineMs / 1000} s (trainer.sample_deadline_s)`,
            where: name,
            fix: "let submit return when it has taken the prompts, not when they have ended; look for an await that never settles",
          }),
      );
    } finally {
      this.#handing.delete(tasks);
    }
  }

  drain(): Promise<void> {
    const { deadlineMs, name } = this.bounds;
    return withDeadline(
      settled(() => this.inner.drain()),
      deadlineMs,
      () =>
        agentErrors.VERL_AGENT_MANAGER_STUCK({
          what: `drain of the agent-loop manager ${name} has not settled within ${deadlineMs / 1000} s (trainer.sample_deadline_s)`,
          where: name,
        }),
    );
  }

  cancel(reason: unknown): Promise<void> {
    return this.#end("cancel", () => this.inner.cancel(reason));
  }

  dispose(): Promise<void> {
    return this.#end("dispose", async () => this.inner.dispose?.());
  }

  waiting(): readonly SessionWait[] {
    const now = performance.now();
    const waitsFor = `submit of the manager ${this.bounds.name}`;
    const handed = [...this.#handing].flatMap(([tasks, since]) =>
      tasks.map(({ uid: key }) => ({ key, origin: "", waitsFor, seconds: (now - since) / 1000 })),
    );
    return [...handed, ...(this.inner.waiting?.() ?? [])];
  }

  /** Never rejects: what the run has come to does not depend on it. */
  async #end(method: string, work: () => Promise<void>): Promise<void> {
    const { name, logger, endMs = END_MS } = this.bounds;
    const late = new Error(`it has not settled within ${endMs / 1000} s`);
    try {
      await withDeadline(settled(work), endMs, () => late);
    } catch (error) {
      const why = error === late ? late.message : reasonAndPlace(error);
      logger.warn(`${method} of the agent-loop manager ${name} failed: ${why}`);
    }
  }
}
