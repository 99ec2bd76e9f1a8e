/** Whether training can count with a number: scores are held as float32, where larger ones are infinite. */
export const isScore = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(Math.fround(value));

/** A number that is no score, for messages. */
export const namedScore = (value: number): string =>
  Number.isFinite(value) && !isScore(value) ? `${value}, beyond float32 (±3.4e38)` : String(value);

/** The first of these extra values that is a number and no score, for messages; null where there is none. */
export function badPart(extra: Readonly<Record<string, unknown>>, parts: readonly string[]): string | null {
  const bad = parts.find((name) => typeof extra[name] === "number" && !isScore(extra[name]));
  return bad === undefined ? null : `its value "${bad}" is ${namedScore(extra[bad] as number)}`;
}
