import { objectText } from "./argument-texts.js";
import { composeToolParser } from "./compose-tool-parser.js";
import { Prose } from "./prose.js";
import { type TaggedCall, type TaggedForm, type TaggedParameter, TaggedReader } from "./tagged-call.js";
import type { ToolParserOptions } from "./tool-parser.js";
import { toolSchemas } from "./tool-schemas.js";
import { typedValue } from "./typed-value.js";

const FORM: TaggedForm = {
  block: { open: "<tool_call>", close: "</tool_call>" },
  call: { open: "<function=", close: "</function>" },
  parameter: { open: "<parameter=", close: "</parameter>" },
  naming: "equals",
  afterBlock: ["<tool_call>"],
};

/**
 * `<tool_call><function=NAME><parameter=KEY>VALUE</parameter></function></tool_call>`, as Qwen3-Coder and Qwen3.5 write it. Values
 * are typed by the tool's schema. Closing tags may be missing, so a call counts once its name is complete. Content is the
 * text before the first block, or all of it if no block holds a function: after a block that holds none it waits.
 */
export const qwen3Coder = composeToolParser({
  name: "qwen3_coder",
  *parse(input, out, options) {
    let waiting: string | null = null;
    const content = (text: string) => {
      if (waiting === null) out.content(text);
      else waiting += text;
    };
    const { tools = [], startsInThought } = options;
    const prose = new Prose(input, out, { opens: [FORM.block.open], startsInThought, content });
    const reader = new TaggedReader(input, FORM);
    const schemas = new Map(toolSchemas(tools).map(({ name, properties }) => [name, properties]));
    while ((yield* prose.next()) !== null) {
      input.begin();
      input.skip(FORM.block.open);
      let call = yield* reader.nextCall();
      const text = input.commit();
      if (!isCall(call) && !text.includes(FORM.call.open)) {
        if (prose.keep) waiting = (waiting ?? "") + text;
        continue;
      }
      prose.keep = false;
      waiting = null;
      if (call === "end") out.malformed(null, "names no tool", text);
      for (; isCall(call); call = yield* reader.nextCall()) {
        const properties = schemas.get(call.name);
        const members = call.parameters.map((parameter) => {
          const json = typedValue(valueTextOf(parameter, options), properties?.get(parameter.name));
          return [parameter.name, json] as const;
        });
        out.call({ name: call.name, arguments: objectText(members) });
      }
    }
    out.content(waiting ?? "");
  },
});

function isCall(call: TaggedCall | "end" | null): call is TaggedCall {
  return call !== "end" && call !== null;
}

/** Without one newline at each end; where the text ends, also without what stands there in place of the closing tag. */
function valueTextOf({ text, closed }: TaggedParameter, { eosToken, padToken }: ToolParserOptions): string {
  const whole = closed ? text : withoutCutTag(withoutEnding(withoutEnding(text, padToken), eosToken));
  return whole.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
}

function withoutEnding(text: string, ending: string | undefined): string {
  let end = text.length;
  while (ending && text.endsWith(ending, end)) end -= ending.length;
  return text.slice(0, end);
}

/** Without the beginning of a closing tag. */
function withoutCutTag(text: string): string {
  for (const { close } of [FORM.parameter, FORM.call, FORM.block]) {
    for (let length = close.length - 1; length >= 2; length--) {
      if (text.endsWith(close.slice(0, length))) return text.slice(0, -length);
    }
  }
  return text;
}
