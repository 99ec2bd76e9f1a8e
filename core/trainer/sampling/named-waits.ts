import type { AgentLoopManager, SessionWait } from "../../agent/agent-loop.js";
import { isVerlError } from "../../host/errors.js";
import { transferErrors } from "../../transfer/errors.js";
import type { ReplayBuffer } from "../../transfer/replay-buffer.js";

/** Where prompts go, for errors about those that do not come back. */
export interface PromptsTaker {
  readonly manager: Pick<AgentLoopManager, "waiting">;
  /** `rollout.agent.agent_loop_manager_class`; null for the built-in one. */
  readonly name: string | null;
}

/** The replay buffer, whose timeout says what the prompts wait for: a reward, a server, a manager that does nothing. */
export function namingWaits(replay: ReplayBuffer, taker: PromptsTaker): ReplayBuffer {
  return {
    sampleableCount: (step, partition) => replay.sampleableCount(step, partition),
    async sample(request) {
      try {
        return await replay.sample(request);
      } catch (error) {
        if (!isVerlError(error) || error.code !== "VERL_REPLAY_TIMEOUT") throw error;
        const { what, where, why, fix, data } = error;
        const waits = taker.manager.waiting?.() ?? [];
        const whom = waits.length > 0 ? sumOf(waits) : silent(taker.name);
        throw transferErrors.VERL_REPLAY_TIMEOUT({
          ...{ what: whom === null ? what : `${what}; ${whom}`, where, why, data },
          fix:
            waits.every(({ waitsFor }) => waitsFor.includes("the manager ")) && taker.name !== null ? ofManager : fix,
          cause: error.cause,
        });
      }
    },
  };
}

const ofManager =
  "let the agent-loop manager deliver or fail every session of a prompt, or write a terminal status for every prompt, also when something throws; raise trainer.sample_deadline_s if it is only slow";

/** What prompts and sessions wait for, with how many of each. */
export function sumOf(waits: readonly SessionWait[]): string {
  const counts = new Map<string, number>();
  for (const { waitsFor } of waits) counts.set(waitsFor, (counts.get(waitsFor) ?? 0) + 1);
  return [...counts].map(([what, count]) => `${count} ${count === 1 ? "waits" : "wait"} for ${what}`).join(", ");
}

const silent = (name: string | null): string | null => (name === null ? null : `they are with the manager ${name}`);
