import type { PyValue } from "./values.js";

/** Names visible at a place: assignments go to the innermost scope, look-ups go outwards. */
export class Scope {
  private readonly names = new Map<string, PyValue>();

  constructor(private readonly parent: Scope | null = null) {}

  get(name: string): PyValue | undefined {
    for (let scope: Scope | null = this; scope; scope = scope.parent) {
      const value = scope.names.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  set(name: string, value: PyValue): void {
    this.names.set(name, value);
  }
}
