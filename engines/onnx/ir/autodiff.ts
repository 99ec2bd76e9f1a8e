import type { Graph, Ref } from "./graph.js";

/**
 * One input's share of a vector-Jacobian product: adds nodes and returns the gradient with respect to that input. For a
 * parameter with an accumulator, `accumulator` is the gradient so far and the result must include it (a `Gemm` takes it
 * as its C operand, which costs nothing); everything else gets null.
 */
export type Pullback = (accumulator: Ref | null) => Ref;

interface Recorded {
  readonly outputs: readonly Ref[];
  readonly inputs: readonly Ref[];
  /** Of the model, see {@link Graph.within}. */
  readonly part: string;
  readonly pullbacks: (gradients: readonly (Ref | null)[]) => readonly (Pullback | null)[];
}

/** Adds nodes when they are first asked for. */
export function once<T>(build: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: build() };
    return made.value;
  };
}

/**
 * Reverse-mode differentiation over a graph under construction. Differentiable operators record themselves here;
 * `backward` then appends the nodes of the backward pass to the same graph.
 */
export class Autodiff {
  private readonly recorded: Recorded[] = [];
  private readonly recipes = new Map<Ref, () => Ref>();

  constructor(readonly graph: Graph) {}

  /**
   * Record an operator. `pullbacks` is called once, when the gradient of `output` is known, and returns one pullback
   * per input (null: no gradient flows there). Pullbacks nobody needs are not called.
   */
  record(output: Ref, inputs: readonly Ref[], pullbacks: (gradient: Ref) => readonly (Pullback | null)[]): Ref {
    return this.recordMany([output], inputs, ([gradient]) => pullbacks(gradient as Ref))[0];
  }

  /** As `record`, for several results: at least one gradient is known, the others are null. */
  recordMany(outputs: readonly Ref[], inputs: readonly Ref[], pullbacks: Recorded["pullbacks"]): Ref[] {
    this.recorded.push({ outputs, inputs, part: this.graph.currentPart, pullbacks });
    return [...outputs];
  }

  /** Let the backward pass compute a value again, by other nodes than the forward pass, instead of keeping it until then. */
  recompute(value: Ref, build: () => Ref): void {
    this.recipes.set(value, build);
  }

  /** A value of the forward pass as the backward pass should take it; for pullbacks. */
  again(value: Ref): Ref {
    return this.recipes.get(value)?.() ?? value;
  }

  /**
   * Gradients of the targets, given gradients of some results. `accumulators` names, for parameters among the targets,
   * values to which their gradient is added. A target that nothing reaches is absent from the result.
   */
  backward(
    seeds: ReadonlyMap<Ref, Ref>,
    targets: readonly Ref[],
    accumulators: ReadonlyMap<Ref, Ref> = new Map(),
  ): Map<Ref, Ref> {
    const needed = this.reachableFrom(targets);
    const partial = new Map<Ref, Ref[]>([...seeds].map(([ref, gradient]) => [ref, [gradient]]));
    const accumulated = new Map<Ref, Ref>();
    const pullBack = ({ outputs, inputs, pullbacks }: Recorded) => {
      const gradients = outputs.map((output) => this.total(partial, output));
      if (gradients.every((g) => g === null) || !inputs.some((i) => needed.has(i))) return;
      pullbacks(gradients).forEach((pullback, i) => {
        const input = inputs[i];
        if (pullback === null || !needed.has(input)) return;
        const start = accumulators.get(input);
        if (start !== undefined) {
          accumulated.set(input, pullback(accumulated.get(input) ?? start));
        } else {
          const parts = partial.get(input);
          if (parts) parts.push(pullback(null));
          else partial.set(input, [pullback(null)]);
        }
      });
    };
    for (const recorded of this.recorded.toReversed()) {
      this.graph.within(recorded.part && `${recorded.part} backward`, () => pullBack(recorded));
    }
    const result = new Map<Ref, Ref>();
    for (const target of targets) {
      const gradient = accumulated.get(target) ?? this.total(partial, target);
      if (gradient !== null) result.set(target, gradient);
    }
    return result;
  }

  /** Values that depend on a target, targets included. */
  private reachableFrom(targets: readonly Ref[]): Set<Ref> {
    const reached = new Set<Ref>(targets);
    for (const { outputs, inputs } of this.recorded) {
      if (inputs.some((i) => reached.has(i))) for (const output of outputs) reached.add(output);
    }
    return reached;
  }

  private total(partial: Map<Ref, Ref[]>, ref: Ref): Ref | null {
    const parts = partial.get(ref);
    if (!parts) return null;
    if (parts.length === 1) return parts[0];
    const sum = parts.length === 2 ? this.graph.op("Add", parts) : this.graph.op("Sum", parts);
    partial.set(ref, [sum]);
    return sum;
  }
}
