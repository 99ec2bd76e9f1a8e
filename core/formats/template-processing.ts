/** A token with its id. */
export type TokenId = readonly [token: string, id: number];

/** The post-processor that puts tokens before and after a text; null for none. */
export function templateProcessing(
  before: readonly TokenId[],
  after: readonly TokenId[],
): Record<string, unknown> | null {
  if (before.length + after.length === 0) return null;
  const special =
    (typeId: number) =>
    ([id]: TokenId) => ({ SpecialToken: { id, type_id: typeId } });
  const frame = (name: string, typeId: number) => [
    ...before.map(special(typeId)),
    { Sequence: { id: name, type_id: typeId } },
    ...after.map(special(typeId)),
  ];
  return {
    type: "TemplateProcessing",
    single: frame("A", 0),
    pair: [...frame("A", 0), ...frame("B", 1)],
    special_tokens: Object.fromEntries([...before, ...after].map(([id, n]) => [id, { id, ids: [n], tokens: [id] }])),
  };
}
