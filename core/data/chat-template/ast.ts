import type { BinaryOperator } from "./arithmetic.js";
import type { PyValue } from "./values.js";

/** Members stand in the order in which Jinja's compiler visits them; the search for undeclared names depends on it. */
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
    }
  | { readonly type: "test"; readonly value: Expression; readonly name: string; readonly args: CallArguments }
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

export type FilterExpression = Expression & { readonly type: "filter" };
export type CallExpression = Expression & { readonly type: "call" };

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

export interface Parameter {
  readonly type: "parameter";
  readonly name: string;
}

/** What `set`, `for` and `with` may assign to; the names of `with` are parameters. */
export type Target =
  | { readonly type: "store"; readonly name: string }
  | Parameter
  | { readonly type: "targets"; readonly items: readonly Target[] }
  | { readonly type: "namespace"; readonly object: string; readonly name: string };

/** Parameters of a macro or call block; the defaults are those of the last parameters. */
export interface Signature {
  readonly parameters: readonly Parameter[];
  readonly defaults: readonly Expression[];
}

export type Body = readonly Statement[];

export type Statement = { readonly line: number } & (
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "print"; readonly values: readonly Expression[] }
  | {
      readonly type: "if";
      readonly branches: readonly { readonly test: Expression; readonly body: Body }[];
      readonly otherwise: Body;
    }
  | {
      readonly type: "for";
      readonly target: Target;
      readonly iterable: Expression;
      readonly body: Body;
      readonly otherwise: Body;
      readonly condition: Expression | null;
      readonly recursive: boolean;
    }
  | { readonly type: "set"; readonly target: Target; readonly value: Expression }
  | {
      readonly type: "setBlock";
      readonly target: Target;
      readonly filter: FilterExpression | null;
      readonly body: Body;
    }
  | { readonly type: "macro"; readonly name: string; readonly signature: Signature; readonly body: Body }
  | { readonly type: "call"; readonly call: CallExpression; readonly signature: Signature; readonly body: Body }
  | { readonly type: "generation"; readonly body: Body }
  | { readonly type: "filterBlock"; readonly body: Body; readonly filter: FilterExpression }
  | {
      readonly type: "with";
      readonly targets: readonly Target[];
      readonly values: readonly Expression[];
      readonly body: Body;
    }
  | { readonly type: "block"; readonly name: string; readonly body: Body; readonly scoped: boolean }
  /** `include`, `import`, `from … import`: there is nothing to load from. `stores` are the names that it would define. */
  | {
      readonly type: "load";
      readonly template: Expression;
      readonly stores: readonly string[];
      readonly ignoreMissing: boolean;
    }
  | { readonly type: "extends"; readonly template: Expression }
  | { readonly type: "break" | "continue" }
);

export type StatementOf<T extends Statement["type"]> = Statement & { readonly type: T };
