import { composeToolParser } from "./compose-tool-parser.js";
import { type JsonBody, membersOf, readJson } from "./json-body.js";
import { Prose } from "./prose.js";
import { TagSet } from "./tag-set.js";
import type { Parsing, TextCursor } from "./text-cursor.js";
import { type ToolSchema, toolSchemas } from "./tool-schemas.js";
import type { TurnWriter } from "./turn-writer.js";

const SECTION = { open: "<|tool_calls_section_begin|>", close: "<|tool_calls_section_end|>" };
const CALL = { open: "<|tool_call_begin|>", close: "<|tool_call_end|>" };
const ARGUMENTS = "<|tool_call_argument_begin|>";

const OPENS = new TagSet([CALL.open]);
const IN_SECTION = new TagSet([CALL.open, SECTION.close]);
const AFTER_ID = new TagSet([ARGUMENTS, CALL.close, CALL.open, SECTION.close]);
const AFTER_ARGUMENTS = new TagSet([CALL.close, CALL.open, SECTION.close]);

/**
 * A section of `<|tool_call_begin|>ID<|tool_call_argument_begin|>JSON<|tool_call_end|>`, as Kimi-K2 writes it. Content is the text
 * before the first section, which need not be closed.
 */
export const kimi = composeToolParser({
  name: "kimi",
  stopTokens: ["<|im_end|>"],
  *parse(input, out, { tools = [], startsInThought }) {
    const prose = new Prose(input, out, { opens: [SECTION.open], startsInThought });
    const schemas = toolSchemas(tools);
    while ((yield* prose.next()) !== null) {
      input.skip(SECTION.open);
      prose.keep = false;
      let tag = yield* input.until(IN_SECTION);
      for (; tag === CALL.open; tag = yield* input.until(IN_SECTION)) yield* readCall(input, out, schemas);
      if (tag !== null) input.skip(tag);
    }
  },
});

function* readCall(input: TextCursor, out: TurnWriter, schemas: readonly ToolSchema[]): Parsing<void> {
  input.begin();
  input.skip(CALL.open);
  input.begin();
  let stop = yield* input.until(AFTER_ID);
  const id = input.commit().trim();
  let body: JsonBody | null = null;
  if (stop === ARGUMENTS) {
    input.skip(stop);
    body = yield* readJson(input, AFTER_ARGUMENTS, OPENS);
    stop = body.stop;
  }
  if (stop === CALL.close) input.skip(stop);
  const text = input.commit();
  if (stop === null) return;
  const json = body?.problem === null ? body.text.trim() : null;
  const name = toolNamedBy(id, json, schemas);
  if (name === "") out.malformed(null, "names no tool", text);
  else if (body === null) out.malformed(name, "has no arguments", text);
  else if (json === null) out.malformed(name, `has arguments that are not JSON: ${body.problem}`, text);
  else if (stop !== CALL.close) out.malformed(name, "lacks its closing tag", text);
  else out.call({ name, arguments: json, ...(id === "" ? {} : { id }) });
}

/** `functions.NAME:INDEX` names a tool; another id may hold the name of a known one, or its arguments may fit only one. */
function toolNamedBy(id: string, args: string | null, schemas: readonly ToolSchema[]): string {
  const named = id.replace(/^functions\./, "").replace(/:[0-9]+$/, "");
  const names = schemas.map(({ name }) => name);
  const same = names.find((name) => name === named) ?? onlyOne(names.filter((name) => plain(name) === plain(named)));
  if (same !== undefined) return same;
  if (id.startsWith("functions.") && named !== "") return named;
  const held = names.filter((name) => plain(id).includes(plain(name)));
  const longest = held.find((name) => held.every((other) => plain(name).includes(plain(other))));
  return longest ?? onlyOne(toolsThatFit(args, schemas)) ?? named;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

function toolsThatFit(args: string | null, schemas: readonly ToolSchema[]): string[] {
  const given = args === null ? null : membersOf(args);
  if (given === null) return [];
  return schemas
    .filter(({ required }) => required.length > 0 && required.every((name) => given.has(name)))
    .map(({ name }) => name);
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}
