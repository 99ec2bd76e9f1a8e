/**
 * A loss as data. `build` is a function and stays in its process; what it asks the algebra for can travel: a list of
 * steps, each an operation over earlier ones. Replayed on any algebra it gives the same loss.
 */
import {
  type Extent,
  type LossAlgebra,
  type LossFunction,
  type LossTerms,
  type MetricReduction,
  type OutputName,
  outputExtent,
  type Value,
} from "./algebra.js";
import { partner } from "./losses/pair-terms.js";

type Operation = keyof LossAlgebra;

/** An operation with its arguments: the places of earlier steps first, then names or numbers. */
type Step = readonly [Operation, ...(readonly (number | string)[])];

export interface LossProgram extends Omit<LossFunction, "kind" | "build"> {
  readonly steps: readonly Step[];
  /** Step of the loss. */
  readonly loss: number;
  readonly metrics: Readonly<Record<string, { readonly step: number; readonly reduction: MetricReduction }>>;
}

/** How many of an operation's arguments are values. */
const OPERANDS: { readonly [O in Operation]-?: number } = {
  output: 0,
  column: 0,
  mask: 0,
  count: 0,
  constant: 0,
  add: 2,
  sub: 2,
  mul: 2,
  div: 2,
  neg: 1,
  exp: 1,
  log: 1,
  sqrt: 1,
  square: 1,
  abs: 1,
  sigmoid: 1,
  softplus: 1,
  minimum: 2,
  maximum: 2,
  clamp: 1,
  greater: 2,
  greaterEqual: 2,
  where: 3,
  stopGradient: 1,
  sumTokens: 1,
  sum: 1,
  partner: 1,
};

interface RecordedValue extends Value {
  readonly step: number;
}

/** Extents of the batch's columns decide how values broadcast. */
export function recordLoss(
  loss: LossFunction,
  columns: ReadonlyMap<string, { readonly extent: "token" | "sequence" }>,
): LossProgram {
  const steps: Step[] = [];
  const record = (operation: Operation, args: readonly unknown[]): RecordedValue => {
    const count = OPERANDS[operation];
    const operands = args.slice(0, count) as RecordedValue[];
    const rest = args.slice(count) as (number | string)[];
    steps.push([operation, ...operands.map(({ step }) => step), ...rest]);
    return { step: steps.length - 1, extent: extentOf(operation, operands, rest[0]) };
  };
  const extentOf = (operation: Operation, operands: readonly Value[], name: unknown): Extent => {
    if (operation === "output") return outputExtent(name as OutputName);
    if (operation === "column") return columns.get(name as string)?.extent ?? "token";
    if (operation === "mask") return "token";
    if (operation === "sumTokens" || operation === "partner") return "sequence";
    if (operation === "sum") return "scalar";
    return operands.reduce<Extent>((widest, { extent }) => (RANK[extent] > RANK[widest] ? extent : widest), "scalar");
  };
  const methods = (Object.keys(OPERANDS) as Operation[]).map((operation) => [
    operation,
    (...args: unknown[]) => record(operation, args),
  ]);
  const terms = loss.build(Object.fromEntries(methods) as LossAlgebra);
  const { kind: _, build: __, ...shape } = loss;
  return {
    ...shape,
    steps,
    loss: (terms.loss as RecordedValue).step,
    metrics: Object.fromEntries(
      Object.entries(terms.metrics).map(([name, { value, reduction }]) => [
        name,
        { step: (value as RecordedValue).step, reduction },
      ]),
    ),
  };
}

const RANK: Readonly<Record<Extent, number>> = { scalar: 0, sequence: 1, token: 2 };

export function replayLoss({ steps, loss, metrics, ...shape }: LossProgram): LossFunction {
  return {
    ...shape,
    kind: "algebra",
    build(g): LossTerms {
      const values: Value[] = [];
      for (const [operation, ...args] of steps) {
        const count = OPERANDS[operation];
        const operands = args.slice(0, count).map((step) => values[step as number]);
        values.push(
          operation === "partner"
            ? partner(g, operands[0])
            : (g[operation] as (...args: unknown[]) => Value)(...operands, ...args.slice(count)),
        );
      }
      return {
        loss: values[loss],
        metrics: Object.fromEntries(
          Object.entries(metrics).map(([name, { step, reduction }]) => [name, { value: values[step], reduction }]),
        ),
      };
    },
  };
}
