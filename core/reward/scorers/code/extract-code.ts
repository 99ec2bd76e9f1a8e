/** What code blocks of a language are marked with. */
const MARKS: Readonly<Record<string, readonly string[]>> = {
  python: ["python", "python3", "py"],
  javascript: ["javascript", "js", "node"],
  bash: ["bash", "sh", "shell"],
};

interface Block {
  /** First word of the opening fence, in lower case. */
  readonly mark: string;
  readonly code: string;
}

/**
 * The program of a response: its last complete code block that is marked with the language, else the last one without a
 * mark. Blocks before the last `</think>` are thoughts, not answers. Null without one.
 */
export function extractCode(text: string, language: string): string | null {
  const blocks = codeBlocks(text.split("</think>").at(-1)!);
  const marks = MARKS[language] ?? [language];
  const block =
    blocks.findLast(({ mark }) => marks.includes(mark)) ?? blocks.findLast(({ mark }) => mark === "") ?? null;
  return block?.code ?? null;
}

/**
 * Fenced blocks in order. A fence opens at the start of a line; it is closed by a line of at least as many marks, or at
 * the end of a line of code, as models sometimes do. What is never closed was cut off.
 */
function codeBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { readonly fence: string; readonly mark: string; readonly lines: string[] } | null = null;
  for (const line of text.split("\n")) {
    if (open === null) {
      const [, fence, info] = /^[ \t]*(`{3,}|~{3,})([^`\r]*)\r?$/.exec(line) ?? [];
      if (fence) open = { fence, mark: info.trim().split(/\s/)[0].toLowerCase(), lines: [] };
      continue;
    }
    const rest = line.trimEnd();
    if (!rest.endsWith(open.fence)) {
      open.lines.push(line);
      continue;
    }
    let end = rest.length - open.fence.length;
    while (rest[end - 1] === open.fence[0]) end--;
    const before = rest.slice(0, end);
    if (before.trim() !== "") open.lines.push(before);
    blocks.push({ mark: open.mark, code: open.lines.join("\n") });
    open = null;
  }
  return blocks;
}

/**
 * verl's extraction: after the last "```python" up to the next fence or the end; else the text between the first two
 * fences, without a first line of letters alone. Null without a fence.
 */
export function extractCodeLikeVerl(text: string): string | null {
  const marked = text.split("```python");
  if (marked.length > 1) return marked.at(-1)!.split("```")[0];
  const parts = text.split("```");
  if (parts.length < 2) return null;
  const [first, ...rest] = parts[1].split("\n");
  return rest.length > 0 && /^\p{L}+$/u.test(first.trim()) ? rest.join("\n") : parts[1];
}
