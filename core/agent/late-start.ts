import type { AgentLoop } from "./agent-loop.js";

/** Of a loop whose `run` may have to wait for its turn: settles when it has come. Its deadline counts from then. */
export const BEGUN = Symbol("begun");

export interface LateLoop extends AgentLoop {
  readonly [BEGUN]?: Promise<void>;
}
