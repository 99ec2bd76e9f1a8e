/**
 * The value of `VERL_USE_EXTERNAL_MODULES`: module specifiers in load order. Split at commas, trimmed, empties dropped,
 * repeats loaded once at their first place; everything else is kept as written.
 */
export function parseModuleList(text: string | undefined): string[] {
  const names = (text ?? "").split(",").map((part) => part.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}
