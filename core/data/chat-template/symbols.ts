import { fail } from "./errors.js";

/** How a variable gets its value when its scope is entered. */
export type Load =
  | { readonly from: "parameter" }
  /** The variables that the template was rendered with. */
  | { readonly from: "context"; readonly name: string }
  /** A variable of an outer scope. */
  | { readonly from: "slot"; readonly slot: string }
  | { readonly from: "nothing" };

/**
 * The names of one scope, resolved before the template runs as Jinja does it (`jinja2.idtracking`). Each name of each scope is a slot
 * of its own. A name that is assigned anywhere in a scope belongs to that scope from its start, so that
 * `{% set x %}{{ x }}{% endset %}` prints nothing.
 */
export class Symbols {
  readonly loads = new Map<string, Load>();
  readonly stores = new Set<string>();
  private readonly refs = new Map<string, string>();
  private readonly level: number;

  constructor(private readonly parent: Symbols | null = null) {
    this.level = parent ? parent.level + 1 : 0;
  }

  inner(): Symbols {
    return new Symbols(this);
  }

  /** The slot that a name stands for here. */
  slot(name: string): string {
    return this.find(name) ?? fail("AssertionError", `the name '${name}' is unknown in this place`);
  }

  load(name: string): void {
    if (this.find(name) === undefined) this.define(name, { from: "context", name });
  }

  store(name: string): void {
    this.stores.add(name);
    if (this.refs.has(name)) return;
    const outer = this.parent?.find(name);
    this.define(name, outer === undefined ? { from: "nothing" } : { from: "slot", slot: outer });
  }

  parameter(name: string): string {
    this.stores.add(name);
    return this.define(name, { from: "parameter" });
  }

  /** Visit the branches of an `if`, each on its own: what one assigns, the others still see from outside. */
  branch(visits: readonly ((symbols: Symbols) => void)[]): void {
    const branches = visits.map((visit) => {
      const copy = this.copy();
      visit(copy);
      return copy;
    });
    const assigned = branches.flatMap(({ stores }) => [...stores]).filter((name) => !this.stores.has(name));
    for (const { refs, loads, stores } of branches) {
      for (const [name, slot] of refs) this.refs.set(name, slot);
      for (const [slot, load] of loads) this.loads.set(slot, load);
      for (const name of stores) this.stores.add(name);
    }
    for (const name of assigned) {
      const outer = this.parent?.find(name);
      this.loads.set(this.slot(name), outer === undefined ? { from: "context", name } : { from: "slot", slot: outer });
    }
  }

  /** Names assigned here or further out, with their slots. */
  visibleStores(): Map<string, string> {
    const out = this.parent ? this.parent.visibleStores() : new Map<string, string>();
    for (const name of this.stores) out.set(name, this.slot(name));
    return out;
  }

  private copy(): Symbols {
    const copy = new Symbols(this.parent);
    for (const [name, slot] of this.refs) copy.refs.set(name, slot);
    for (const [slot, load] of this.loads) copy.loads.set(slot, load);
    for (const name of this.stores) copy.stores.add(name);
    return copy;
  }

  private find(name: string): string | undefined {
    return this.refs.get(name) ?? this.parent?.find(name);
  }

  private define(name: string, load: Load): string {
    const slot = `${this.level} ${name}`;
    this.refs.set(name, slot);
    this.loads.set(slot, load);
    return slot;
  }
}
