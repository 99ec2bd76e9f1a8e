const MAX_LENGTH = 200;

/** A value from outside as it stands in messages: JSON, cut where it gets long. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item)) ?? String(value);
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}
