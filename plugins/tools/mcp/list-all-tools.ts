/** Pages of a list of tools that are read; servers that there are have one. */
export const MAX_TOOL_PAGES = 1000;

/** A server whose list of tools does not end. */
export class EndlessList extends Error {}

/** All pages of a list of tools. `isOver`: nobody waits for it any more. @throws EndlessList */
export async function listAllTools<T>(
  ask: (cursor: string | undefined) => Promise<{ readonly tools: readonly T[]; readonly nextCursor?: string }>,
  isOver: () => boolean,
): Promise<T[]> {
  const tools: T[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const page = await ask(cursor);
    tools.push(...page.tools);
    cursor = page.nextCursor;
    if (cursor === undefined) return tools;
    if (isOver()) throw new Error("the connection was given up");
    if (seen.has(cursor)) throw new EndlessList("its list of tools does not end: tools/list gave one nextCursor twice");
    if (pages === MAX_TOOL_PAGES) throw new EndlessList(`its list of tools has more than ${MAX_TOOL_PAGES} pages`);
    seen.add(cursor);
  }
}
