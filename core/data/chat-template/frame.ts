import type { Activation } from "./activation.js";
import type { Symbols } from "./symbols.js";
import type { PyValue } from "./values.js";

/** Where code stands, as far as its meaning depends on it. */
export interface Frame {
  readonly symbols: Symbols;
  /** Whether assignments here are seen by blocks. */
  readonly topLevel: boolean;
  /** Inside an `if`, where a filter that does not exist is an error only when it is reached. */
  readonly soft: boolean;
  /** Trying whether an expression is a constant: names and calls are failures. */
  readonly folding: boolean;
  /** Loops of the same function around this place, which `break` and `continue` can mean. */
  readonly loops: number;
}

/** The frame of a scope inside another one of the same function. */
export function innerFrame({ loops }: Frame, symbols: Symbols): Frame {
  return { symbols, topLevel: false, soft: false, folding: false, loops };
}

/** A compiled expression. */
export type Compute = (at: Activation) => PyValue;

/** What a statement asks of the loop around it. */
export type Signal = "break" | "continue" | undefined;

/** Compiled statements. */
export type Execute = (at: Activation) => Signal;
