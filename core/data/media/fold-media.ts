import type { JsonValue } from "../../host/types.js";
import { nearestName } from "../../host/util/nearest.js";
import type { ChatContentPart, ChatMessage } from "../tokenizer.js";
import { MEDIA_KINDS, type MediaKind, mediaKindOf, mediaValueOf } from "./media.js";

/** Columns with the media of a row, by kind. */
export type MediaColumns = Readonly<Record<MediaKind, string>>;

type RowColumns = Readonly<Record<string, JsonValue>>;

export interface FoldedRow {
  readonly messages: readonly ChatMessage[];
  /** Without the media columns. */
  readonly row: RowColumns;
}

const MARK = /<(image|video|audio)>/;

/**
 * A row's media columns as parts of its messages: each mark `<image>`, `<video>` or `<audio>` in a text, and each part of a kind
 * that holds no medium, takes the next one of its column. A row without media is left as it is, marks and all.
 */
export function foldMedia(
  messages: readonly ChatMessage[],
  row: RowColumns,
  columns: MediaColumns,
): FoldedRow | { readonly problem: string } {
  const waiting = new Map(MEDIA_KINDS.map((kind) => [kind, itemsOf(row[columns[kind]])]));
  if ([...waiting.values()].every((items) => items.length === 0)) {
    const problem = misnamedColumn(messages, row, columns);
    return problem === null ? { messages, row } : { problem };
  }
  const missing: MediaKind[] = [];
  const next = (kind: MediaKind): JsonValue => {
    const item = waiting.get(kind)?.shift();
    if (item === undefined) missing.push(kind);
    return item ?? null;
  };
  const folded = messages.map((message) => ({ ...message, content: foldContent(message.content, next) }));
  if (missing.length > 0) {
    const [kind] = missing;
    return { problem: `has more marks <${kind}> in its messages than media in the column ${columns[kind]}` };
  }
  const left = MEDIA_KINDS.find((kind) => waiting.get(kind)?.length);
  if (left) {
    return {
      problem: `has ${waiting.get(left)?.length} more media in the column ${columns[left]} than marks <${left}> in its messages`,
    };
  }
  const names = new Set(Object.values(columns));
  return { messages: folded, row: Object.fromEntries(Object.entries(row).filter(([name]) => !names.has(name))) };
}

/** A mark in a row without its column, and a column that is nearly called so: the mark would stay there as a text. */
function misnamedColumn(messages: readonly ChatMessage[], row: RowColumns, columns: MediaColumns): string | null {
  for (const kind of MEDIA_KINDS) {
    if (row[columns[kind]] != null || !messages.some(({ content }) => hasMark(content, kind))) continue;
    const near = nearestName(columns[kind], Object.keys(row));
    if (near === null || itemsOf(row[near]).length === 0) continue;
    return `has a mark <${kind}> in its messages and no column ${columns[kind]}; it has a column ${near} (data.${kind}_key names the column)`;
  }
  return null;
}

function hasMark(content: ChatMessage["content"], kind: MediaKind): boolean {
  if (content === null || typeof content === "string") return content?.includes(`<${kind}>`) ?? false;
  return content.some((part) => typeof part.text === "string" && part.text.includes(`<${kind}>`));
}

/** A column may hold a list, one medium, or nothing. */
function itemsOf(value: JsonValue | undefined): JsonValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? [...value] : [value];
}

function foldContent(content: ChatMessage["content"], next: (kind: MediaKind) => JsonValue): ChatMessage["content"] {
  if (content === null) return null;
  if (typeof content === "string") return MARK.test(content) ? splitText(content, next) : content;
  return content.flatMap((part): readonly ChatContentPart[] => {
    if (part.type === "text" && typeof part.text === "string") return splitText(part.text, next);
    const kind = mediaKindOf(part);
    if (kind === null || mediaValueOf(part, kind) != null) return [part];
    return [{ ...part, type: kind, [kind]: next(kind) }];
  });
}

/** Texts and media in turn; the split leaves the kinds at the odd places. */
function splitText(text: string, next: (kind: MediaKind) => JsonValue): ChatContentPart[] {
  return text.split(MARK).flatMap((piece, i): ChatContentPart[] => {
    if (i % 2 === 1) return [{ type: piece, [piece]: next(piece as MediaKind) }];
    return piece === "" ? [] : [{ type: "text", text: piece }];
  });
}
