import type { Symbols } from "./symbols.js";
import type { PyValue } from "./values.js";
import { enter, leave, spend, spendText } from "./work.js";

/** What one rendering has printed so far. */
export class Run {
  private out: string[] = [];
  private written = 0;

  print(text: string): void {
    this.out.push(text);
    this.written += text.length;
  }

  /** Everything that `body` prints, and what it returns. */
  capture<T>(body: () => T): { readonly text: string; readonly result: T } {
    const outer = { out: this.out, written: this.written };
    this.out = [];
    this.written = 0;
    enter(2);
    try {
      const result = body();
      leave(2);
      spendText(this.written);
      return { text: this.out.join(""), result };
    } finally {
      this.out = outer.out;
      this.written = outer.written;
    }
  }
}

/** The variables that a template was rendered with, and those that it has set at its top level. */
export class Context {
  readonly exported = new Map<string, PyValue>();

  constructor(private readonly given: ReadonlyMap<string, PyValue>) {}

  resolve(name: string): PyValue | undefined {
    const own = this.exported.get(name);
    return own === undefined ? this.given.get(name) : own;
  }

  /** As a block that is marked `scoped` sees it. */
  derived(locals: ReadonlyMap<string, PyValue>): Context {
    return new Context(new Map([...this.given, ...this.exported, ...locals]));
  }
}

/** The slots of one function: the template, a macro, a recursive loop or a block. Functions see the slots of those around them. */
export class Activation {
  private readonly slots = new Map<string, PyValue | undefined>();

  constructor(
    readonly run: Run,
    readonly context: Context,
    private readonly outer: Activation | null = null,
  ) {}

  inner(): Activation {
    return new Activation(this.run, this.context, this);
  }

  /** Undefined where nothing was assigned yet. */
  get(slot: string): PyValue | undefined {
    const value = this.slots.get(slot);
    return value !== undefined || this.slots.has(slot) ? value : this.outer?.get(slot);
  }

  set(slot: string, value: PyValue | undefined): void {
    this.slots.set(slot, value);
  }

  enter({ loads }: Symbols): void {
    spend(loads.size);
    for (const [slot, load] of loads) {
      if (load.from === "context") this.set(slot, this.context.resolve(load.name));
      else if (load.from === "slot") this.set(slot, this.get(load.slot));
      else if (load.from === "nothing") this.set(slot, undefined);
    }
  }

  leave({ loads }: Symbols): void {
    for (const slot of loads.keys()) this.set(slot, undefined);
  }
}
