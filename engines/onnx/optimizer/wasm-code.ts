/** Just enough of a WebAssembly assembler for straight loops over float vectors. Code is a list of bytes. */
export type Code = readonly number[];

export const I32 = 0x7f;
export const F32 = 0x7d;
export const F64 = 0x7c;
export const V128 = 0x7b;

export function leb(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  bytes.push(value);
  return bytes;
}

export const get = (local: number): Code => [0x20, ...leb(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...leb(local)];
/** A non-negative constant below 64. */
export const i32 = (value: number): Code => [0x41, value];

const simd = (opcode: number, ...immediates: number[]) => [0xfd, ...leb(opcode), ...immediates];
const binary =
  (opcode: number) =>
  (a: Code, b: Code): Code => [...a, ...b, ...simd(opcode)];

export const f32x4 = {
  load: (pointer: Code): Code => [...pointer, ...simd(0x00, 4, 0)],
  store: (pointer: Code, value: Code): Code => [...pointer, ...value, ...simd(0x0b, 4, 0)],
  splat: (value: Code): Code => [...value, ...simd(0x13)],
  add: binary(0xe4),
  sub: binary(0xe5),
  mul: binary(0xe6),
  div: binary(0xe7),
  sqrt: (a: Code): Code => [...a, ...simd(0xe3)],
};

export const f64x2 = {
  /** Two float32 values from memory, widened. */
  loadPromoted: (pointer: Code, offset: number): Code => [...pointer, ...simd(0x5d, 3, offset), ...simd(0x5f)],
  add: binary(0xf0),
  mul: binary(0xf2),
  lane: (a: Code, lane: number): Code => [...a, ...simd(0x21, lane)],
};

export const f64 = { add: (a: Code, b: Code): Code => [...a, ...b, 0xa0] };

/** Advance a pointer or counter by a constant below 64. */
export const increase = (local: number, by: number): Code => set(local, [...get(local), ...i32(by), 0x6a]);

/** Runs `body` as long as `local` is below `limit` (unsigned), testing after each turn. */
export const loopWhileBelow = (local: number, limit: Code, body: Code): Code => [
  0x03,
  0x40,
  ...body,
  ...get(local),
  ...limit,
  0x49,
  0x0d,
  0x00,
  0x0b,
];

export interface WasmFunction {
  readonly name: string;
  readonly parameters: readonly number[];
  readonly results: readonly number[];
  /** Types of further locals, numbered after the parameters. */
  readonly locals: readonly number[];
  readonly body: Code;
}

/** A module that imports its memory as `env.memory` and exports the functions. */
export function wasmModule(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const section = (id: number, entries: readonly Code[]): Code => {
    const content = [...leb(entries.length), ...entries.flat()];
    return [id, ...leb(content.length), ...content];
  };
  const text = (value: string): Code => [value.length, ...Buffer.from(value, "ascii")];
  const body = ({ locals, body: code }: WasmFunction): Code => {
    const content = [...leb(locals.length), ...locals.flatMap((type) => [1, type]), ...code, 0x0b];
    return [...leb(content.length), ...content];
  };
  const types = functions.map((f) => [0x60, f.parameters.length, ...f.parameters, f.results.length, ...f.results]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, types),
    ...section(2, [[...text("env"), ...text("memory"), 0x02, 0x00, 0x01]]),
    ...section(
      3,
      functions.map((_, i) => leb(i)),
    ),
    ...section(
      7,
      functions.map((f, i) => [...text(f.name), 0x00, ...leb(i)]),
    ),
    ...section(10, functions.map(body)),
  ]);
}
