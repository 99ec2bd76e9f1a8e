import type { LlmClient } from "../../rollout/rollout.js";
import type { SessionWait } from "../agent-loop.js";

/** Sessions in flight, with what each of them waits for: whoever finds a run at a standstill can say why. */
export class SessionWatch {
  readonly #open = new Set<Watched>();

  begin(key: string, origin: string): WatchedSession {
    const watched: Watched = { key, origin, waitsFor: "a place", since: performance.now() };
    this.#open.add(watched);
    const waitFor = (what: string) => {
      watched.waitsFor = what;
      watched.since = performance.now();
    };
    return { waitFor, end: () => this.#open.delete(watched) };
  }

  /** Longest first. */
  waiting(): SessionWait[] {
    const now = performance.now();
    return [...this.#open]
      .map(({ key, origin, waitsFor, since }) => ({ key, origin, waitsFor, seconds: (now - since) / 1000 }))
      .sort((a, b) => b.seconds - a.seconds);
  }
}

export interface WatchedSession {
  waitFor(what: string): void;
  end(): void;
}

interface Watched {
  readonly key: string;
  readonly origin: string;
  waitsFor: string;
  since: number;
}

/** The client of one session: while it generates, the session waits for the server, and otherwise for its loop. */
export function watchedClient(client: LlmClient, session: WatchedSession, loop: string): LlmClient {
  return {
    async generate(request, options) {
      session.waitFor("the inference server");
      try {
        return await client.generate(request, options);
      } finally {
        session.waitFor(loop);
      }
    },
  };
}
