import type { BinaryOperator } from "./arithmetic.js";
import type { PyValue } from "./values.js";

export type Expression =
  | { readonly type: "constant"; readonly value: PyValue }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "list" | "tuple"; readonly items: readonly Expression[] }
  | { readonly type: "dict"; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly type: "attribute"; readonly object: Expression; readonly name: string }
  | { readonly type: "item"; readonly object: Expression; readonly key: Expression | SliceKey }
  | { readonly type: "call"; readonly callee: Expression; readonly args: CallArguments }
  | {
      readonly type: "filter";
      /** Null for the text of a filter or set block. */
      readonly value: Expression | null;
      readonly name: string;
      readonly args: CallArguments;
      readonly line: number;
    }
  | {
      readonly type: "test";
      readonly value: Expression;
      readonly name: string;
      readonly args: CallArguments;
      readonly line: number;
    }
  | {
      readonly type: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly type: "unary"; readonly operator: "-" | "+" | "not"; readonly value: Expression }
  | { readonly type: "logical"; readonly operator: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly type: "compare";
      readonly first: Expression;
      readonly rest: readonly { readonly operator: CompareOperator; readonly value: Expression }[];
    }
  | { readonly type: "concat"; readonly parts: readonly Expression[] }
  | {
      readonly type: "condition";
      readonly test: Expression;
      readonly yes: Expression;
      readonly otherwise: Expression | null;
    };

export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

export interface SliceKey {
  readonly type: "slice";
  readonly start: Expression | null;
  readonly stop: Expression | null;
  readonly step: Expression | null;
}

export interface CallArguments {
  readonly positional: readonly Expression[];
  readonly keywords: readonly (readonly [string, Expression])[];
  /** `*args` and `**kwargs`. */
  readonly spread: Expression | null;
  readonly spreadKeywords: Expression | null;
}

/** What `set` and `for` may assign to. */
export type Target =
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "tuple"; readonly items: readonly Target[] }
  | { readonly type: "namespace"; readonly object: string; readonly name: string };

export interface Parameter {
  readonly name: string;
  readonly fallback: Expression | null;
}

/** Whether a macro's body reads these names, and so takes such arguments. */
export interface Takes {
  readonly varargs: boolean;
  readonly kwargs: boolean;
  readonly caller: boolean;
}

export type Statement = { readonly line: number } & (
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "print"; readonly value: Expression }
  | {
      readonly type: "if";
      readonly branches: readonly { readonly test: Expression; readonly body: readonly Statement[] }[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly type: "for";
      readonly target: Target;
      readonly iterable: Expression;
      readonly condition: Expression | null;
      readonly recursive: boolean;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | { readonly type: "set"; readonly target: Target; readonly value: Expression }
  | {
      readonly type: "setBlock";
      readonly target: Target;
      readonly filter: Expression | null;
      readonly body: readonly Statement[];
    }
  | {
      readonly type: "macro";
      readonly name: string;
      readonly parameters: readonly Parameter[];
      readonly takes: Takes;
      readonly body: readonly Statement[];
    }
  | {
      readonly type: "call";
      readonly call: Expression;
      readonly parameters: readonly Parameter[];
      readonly takes: Takes;
      readonly body: readonly Statement[];
    }
  | { readonly type: "filterBlock"; readonly filter: Expression; readonly body: readonly Statement[] }
  | {
      readonly type: "with";
      readonly assignments: readonly (readonly [Target, Expression])[];
      readonly body: readonly Statement[];
    }
  /** A scope of its own whose text is printed: `generation`. */
  | { readonly type: "scope"; readonly body: readonly Statement[] }
  | { readonly type: "break" | "continue" }
);
