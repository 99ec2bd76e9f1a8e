export type EngineMode = "train" | "eval";

interface Entry {
  readonly mode: EngineMode;
}

/** Modes as nested scopes: the innermost one that is still open counts, whatever the order in which they close. */
export class ModeStack {
  private entries: Entry[] = [];

  get current(): EngineMode | null {
    return this.entries.at(-1)?.mode ?? null;
  }

  /** Enter a mode until the result is disposed; `onExit` runs once, before the outer mode comes back. */
  enter(mode: EngineMode, onExit: () => Promise<void>): AsyncDisposable {
    const entry: Entry = { mode };
    this.entries.push(entry);
    return {
      [Symbol.asyncDispose]: async () => {
        if (!this.entries.includes(entry)) return;
        try {
          await onExit();
        } finally {
          this.entries = this.entries.filter((e) => e !== entry);
        }
      },
    };
  }
}
