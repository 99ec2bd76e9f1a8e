import {
  encodeModel,
  type OnnxAttribute,
  type OnnxDType,
  type OnnxGraph,
  type OnnxModel,
  type OnnxNode,
  type OnnxTensor,
  type OnnxValueInfo,
} from "../proto/index.js";

declare const refBrand: unique symbol;
/** Names a value of one graph: an input, a constant or the result of an operator. */
export type Ref = string & { readonly [refBrand]: true };

/** Numbers are integers; a float is written `{ float: x }`. */
export type AttributeValue = number | string | readonly number[] | { readonly float: number };
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Domain of onnxruntime's own operators. */
export const MICROSOFT = "com.microsoft";

const OPSETS = { "": 23, [MICROSOFT]: 1 } as const;
const IR_VERSION = 10;

/** A dimension: a number, or the name of one that is known only when the graph runs. */
export type Dim = number | string;

interface Node extends OnnxNode {
  readonly body: Graph | null;
}

/** What an iteration of a loop gives; of the whole loop, the last iteration's and everything collected. */
export interface LoopResults {
  readonly next: readonly Ref[];
  readonly collected?: readonly Ref[];
}

/** Builds one ONNX graph, operator by operator, in topological order. */
export class Graph {
  private readonly nodes: Node[] = [];
  private readonly inputs: OnnxValueInfo[] = [];
  private readonly outputs: { readonly ref: Ref; readonly info: OnnxValueInfo }[] = [];
  private readonly initializers: OnnxTensor[] = [];
  private readonly constants = new Map<string, Ref>();
  private counter = 0;
  private part = "";

  constructor(
    readonly name: string,
    /** Take the statistics of norms from plain operators instead of the fused ones' second results. */
    readonly plainNorms = false,
    /** The graph in which this one is the body of a loop: names and constants are the outer one's. */
    private readonly outer: Graph | null = null,
  ) {
    this.part = outer?.part ?? "";
  }

  /** The part of the model that operators are added for now, or "". */
  get currentPart(): string {
    return this.part;
  }

  /** Adds operators for a part of the model: their names begin with it, for profiles to tell them apart. */
  within<T>(part: string, build: () => T): T {
    const before = this.part;
    this.part = part;
    try {
      return build();
    } finally {
      this.part = before;
    }
  }

  /** Without dimensions an input takes any shape. */
  input(name: string, dims: readonly Dim[] | null, dtype: OnnxDType = "float32"): Ref {
    this.inputs.push({ name, dims, dtype });
    return name as Ref;
  }

  /** A named constant whose memory is used when the model is encoded; later writes are not seen. */
  initializer(name: string, dims: readonly number[], data: OnnxTensor["data"], dtype: OnnxDType = "float32"): Ref {
    this.initializers.push({ name, dims, data, dtype });
    return name as Ref;
  }

  /** A named constant whose values are given with the session, by the same name. */
  externalInitializer(name: string, dims: readonly number[], dtype: "float32" | "uint8" = "float32"): Ref {
    const length = dims.reduce((n, d) => n * d, dtype === "float32" ? 4 : 1);
    return this.initializer(name, dims, { location: name, offset: 0, length }, dtype);
  }

  /** Publish a value under a name. The same value may be published once; an input needs an operator in between. */
  output(ref: Ref, name: string, dims: readonly Dim[] | null, dtype: OnnxDType = "float32"): void {
    const taken = this.outputs.some((o) => o.ref === ref) || this.isLeaf(ref);
    this.outputs.push({ ref: taken ? this.op("Identity", [ref]) : ref, info: { name, dims, dtype } });
  }

  /** An operator with one result. A null input is an optional one left out. */
  op(opType: string, inputs: readonly (Ref | null)[], attributes: Attributes = {}, domain = ""): Ref {
    return this.opMany(opType, inputs, 1, attributes, domain)[0];
  }

  /** An operator with several results. */
  opMany(
    opType: string,
    inputs: readonly (Ref | null)[],
    numOutputs: number,
    attributes: Attributes = {},
    domain = "",
  ): Ref[] {
    const outputs = Array.from({ length: numOutputs }, () => this.fresh("t"));
    this.nodes.push({
      name: this.nodeName(opType),
      opType,
      domain,
      inputs: inputs.map((i) => i ?? ""),
      outputs,
      attributes: Object.fromEntries(Object.entries(attributes).map(([k, v]) => [k, attributeOf(v)])),
      body: null,
    });
    return outputs;
  }

  /**
   * Repeats a body, whose operators may also take values of this graph. It gets the number of the iteration, an int64 scalar
   * from 0 on, and the float32 values of the iteration before; it returns as many for the next one, and values to collect,
   * which all iterations make in one shape: [iterations, …]. Only one iteration's intermediate results are alive at a time.
   */
  loop(
    count: Ref,
    initial: readonly Ref[],
    body: (g: Graph, iteration: Ref, carried: readonly Ref[]) => LoopResults,
  ): Required<LoopResults> {
    const inner = new Graph(`${this.name}_loop_${this.nodes.length}`, this.plainNorms, this);
    const iteration = inner.input(this.fresh("i"), [], "int64");
    const proceed = inner.input(this.fresh("b"), [], "bool");
    const carried = initial.map(() => inner.input(this.fresh("t"), null));
    inner.output(proceed, this.fresh("b"), [], "bool");
    const results = body(inner, iteration, carried);
    const named = (refs: readonly Ref[] = []) =>
      refs.map((ref) => {
        inner.output(ref, this.fresh("t"), null);
        return this.fresh("t");
      });
    const [next, collected] = [named(results.next), named(results.collected)];
    this.nodes.push({
      name: this.nodeName("Loop"),
      opType: "Loop",
      domain: "",
      inputs: [count, "", ...initial],
      outputs: [...next, ...collected],
      attributes: {},
      body: inner,
    });
    return { next, collected };
  }

  /** A float32 scalar. */
  scalar(x: number): Ref {
    return this.cached(`f32:${Object.is(x, -0) ? "-0" : x}`, () => this.constant(Float32Array.of(x), [], "float32"));
  }

  /** A 1-D int64 tensor: shapes, axes, indices. */
  ints(...values: number[]): Ref {
    return this.cached(`i64:${values}`, () => this.constant(toInt64(values), [values.length], "int64"));
  }

  /** An int64 scalar. */
  int(value: number): Ref {
    return this.cached(`i64s:${value}`, () => this.constant(toInt64([value]), [], "int64"));
  }

  /** A constant of any kind, not shared with equal ones. */
  constant(data: ArrayBufferView, dims: readonly number[], dtype: OnnxDType): Ref {
    return this.outer?.constant(data, dims, dtype) ?? this.initializer(this.fresh("c"), dims, data, dtype);
  }

  /** In the order in which they were declared. */
  get inputNames(): string[] {
    return this.inputs.map((i) => i.name);
  }

  toModel(): OnnxModel {
    return { ...this.toGraph(new Map()), irVersion: IR_VERSION, opsets: OPSETS };
  }

  encode(): Uint8Array {
    return encodeModel(this.toModel());
  }

  private toGraph(outerNames: ReadonlyMap<string, string>): OnnxGraph {
    const published = new Map([...outerNames, ...this.outputs.map((o) => [o.ref as string, o.info.name] as const)]);
    const rename = (name: string) => published.get(name) ?? name;
    return {
      graphName: this.name,
      nodes: this.inOrderOfUse().map(({ body, ...node }) => ({
        ...node,
        inputs: node.inputs.map(rename),
        outputs: node.outputs.map(rename),
        attributes: body ? { body: { kind: "graph", value: body.toGraph(published) } } : node.attributes,
      })),
      inputs: this.inputs,
      outputs: this.outputs.map((o) => o.info),
      initializers: this.initializers,
    };
  }

  /**
   * Nodes whose results only leave the graph go last, the earliest made at the very end. onnxruntime begins with the last of
   * them and runs what each still needs: so a weight's gradient is computed as soon as it can be, and what it was computed
   * from is let go, instead of all of them after the whole backward pass.
   */
  private inOrderOfUse() {
    const used = new Set(this.namesUsed());
    const isUsed = ({ outputs }: { readonly outputs: readonly string[] }) => outputs.some((name) => used.has(name));
    return [...this.nodes.filter(isUsed), ...this.nodes.filter((node) => !isUsed(node)).reverse()];
  }

  /** What nodes take, those in the bodies of loops included. */
  private *namesUsed(): Generator<string> {
    for (const { inputs, body } of this.nodes) {
      yield* inputs;
      if (body) yield* body.namesUsed();
    }
  }

  private nodeName(opType: string): string {
    const name = `${opType}_${this.nodes.length}`;
    return this.part === "" ? name : `${this.part}/${name}`;
  }

  private isLeaf(ref: Ref): boolean {
    return !this.nodes.some(({ outputs }) => outputs.includes(ref));
  }

  private cached(key: string, make: () => Ref): Ref {
    if (this.outer) return this.outer.cached(key, make);
    const known = this.constants.get(key);
    if (known !== undefined) return known;
    const ref = make();
    this.constants.set(key, ref);
    return ref;
  }

  private fresh(prefix: string): Ref {
    return this.outer?.fresh(prefix) ?? (`${prefix}${this.counter++}` as Ref);
  }
}

function toInt64(values: readonly number[]): BigInt64Array {
  return BigInt64Array.from(values, BigInt);
}

function attributeOf(value: AttributeValue): OnnxAttribute {
  if (typeof value === "number") return { kind: "int", value };
  if (typeof value === "string") return { kind: "string", value };
  if ("float" in value) return { kind: "float", value: value.float };
  return { kind: "ints", value };
}
