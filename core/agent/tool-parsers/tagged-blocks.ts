import { jsonOrText, objectText } from "./argument-texts.js";
import { Prose, type Thought } from "./prose.js";
import {
  type TaggedBlock,
  type TaggedCall,
  type TaggedForm,
  type TaggedParameter,
  TaggedReader,
} from "./tagged-call.js";
import type { Parsing, TextCursor } from "./text-cursor.js";
import type { ToolParserOptions } from "./tool-parser.js";
import type { TurnWriter } from "./turn-writer.js";

/** A turn whose calls stand in blocks that count only as a whole. Content is the text before the first of them. */
export function* parseBlocks(
  form: TaggedForm,
  input: TextCursor,
  out: TurnWriter,
  options: ToolParserOptions & { readonly thoughts?: readonly Thought[] },
  callsOf: (block: TaggedBlock) => readonly TaggedCall[] = ({ calls }) => calls,
): Parsing<void> {
  const prose = new Prose(input, out, { ...options, opens: [form.block.open] });
  const reader = new TaggedReader(input, form);
  while ((yield* prose.next()) !== null) {
    const block = yield* reader.block();
    if (!block.closed) {
      if (prose.keep) out.content(block.text);
      return;
    }
    prose.keep = false;
    writeBlock(out, { ...block, calls: callsOf(block) }, untypedValue);
  }
}

/** The calls of a closed block. A null from `jsonOf` leaves a parameter out. */
export function writeBlock(
  out: TurnWriter,
  { calls, text }: TaggedBlock,
  jsonOf: (parameter: TaggedParameter) => string | null,
): void {
  if (calls.length === 0) out.malformed(null, "names no tool", text);
  for (const call of calls) {
    if (!call.closed) {
      out.malformed(call.name, "lacks its closing tag", call.text);
      continue;
    }
    const members = call.parameters.flatMap((parameter) => {
      const value = jsonOf(parameter);
      return value === null ? [] : [[parameter.name, value] as const];
    });
    out.call({ name: call.name, arguments: objectText(members) });
  }
}

function untypedValue({ closed, text }: TaggedParameter): string | null {
  return closed ? jsonOrText(text) : null;
}
