import { readFileSync } from "node:fs";
import { expect } from "chai";
import { type ChatMessage, ChatTemplate, ConversationRenderer, encodePrompt } from "../../../core/data/index.js";
import { createToyTokenizer } from "../../../testing/index.js";
import { errorOf } from "../formats/support.js";

/** Takes what some families take: one system message, at the beginning, and at least one user. */
const STRICT = `
{%- if messages|selectattr('role', 'equalto', 'user')|list|length == 0 -%}
  {{- raise_exception('No user query found in messages.') -}}
{%- endif -%}
{{- '<BOS>' -}}
{%- for m in messages -%}
  {%- if m.role == 'system' and not loop.first -%}
    {{- raise_exception('System message must be at the beginning.') -}}
  {%- endif -%}
  {{- '[' + m.role + ']' + m.content + ';' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '[assistant]' -}}{%- endif -%}`;

const CALLS = `
{%- for m in messages -%}
  {{- '[' + m.role + ']' -}}
  {%- for c in m.tool_calls or [] -%}{{- c.function.name + '(' -}}ARGUMENTS{{- ')' -}}{%- endfor -%}
  {{- m.content or '' -}};
{%- endfor -%}`;
const withArguments = (expression: string) => CALLS.replace("ARGUMENTS", expression);
const PAIRS = "{%- for k, v in c.function.arguments|items -%}{{- k ~ '=' ~ v ~ ' ' -}}{%- endfor -%}";

function renderer(template: string, warnings: string[] = []): ConversationRenderer {
  const parsed = new ChatTemplate(template);
  const toy = createToyTokenizer();
  return new ConversationRenderer(
    {
      encode: toy.encode,
      renderChat: (messages, { addGenerationPrompt = false, tools = null, kwargs } = {}) =>
        parsed.render({ messages, tools, add_generation_prompt: addGenerationPrompt, ...kwargs }),
    },
    { logger: { warn: (text) => void warnings.push(text) } },
  );
}

const user = (content = "hi"): ChatMessage => ({ role: "user", content });
const system = (content: string): ChatMessage => ({ role: "system", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });
const calling = (args: unknown, content: string | null = ""): ChatMessage[] => [
  user("Look up Paris"),
  {
    role: "assistant",
    content,
    tool_calls: [{ type: "function", function: { name: "lookup", arguments: args } }],
  },
];

describe("T13: system messages in six shapes, by a template that wants one at the beginning and a user", () => {
  const shapes: readonly (readonly [string, readonly ChatMessage[], string])[] = [
    ["user", [user()], "<BOS>[user]hi;"],
    ["assistant", [assistant("yes")], "<BOS>[assistant]yes;"],
    ["system and user", [system("a"), user()], "<BOS>[system]a;[user]hi;"],
    ["system only", [system("a")], "<BOS>[system]a;"],
    ["user, then system", [user(), system("a")], "<BOS>[system]a;[user]hi;"],
    ["two systems", [system("a"), system("b")], "<BOS>[system]a\n\nb;"],
  ];
  for (const [name, messages, text] of shapes) {
    it(name, () => {
      expect(renderer(STRICT).render(messages, false)).to.equal(text);
      expect(renderer(STRICT).render(messages, true)).to.equal(`${text}[assistant]`);
    });
  }

  it("says once that it rearranged messages, and nothing where it did not", () => {
    const warnings: string[] = [];
    const strict = renderer(STRICT, warnings);
    strict.render([user(), assistant("yes")], true);
    expect(warnings).to.deep.equal([]);
    strict.render([user(), system("a")], true);
    strict.render([user(), system("b")], true);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.contain("joined into one at the front");
  });

  it("throws the template's own words where nothing helps", async () => {
    const error = await errorOf(() => renderer("{{ raise_exception('no') }}").render([user(), system("a")], true));
    expect(error.code).to.equal("VERL_DATA_CHAT_TEMPLATE_REFUSED");
  });

  it("leaves a template alone that takes late system messages", () => {
    const lenient = STRICT.replace("and not loop.first", "and false");
    expect(renderer(lenient).render([user(), system("a")], false)).to.equal("<BOS>[user]hi;[system]a;");
  });
});

describe("T14: tool arguments", () => {
  const text = '{"city": "Paris",  "n": 1.0}';

  it("are a mapping for templates that go through their items", () => {
    expect(renderer(withArguments(PAIRS)).render(calling(text), false)).to.contain("lookup(city=Paris n=1.0 )");
  });

  it("are a mapping for templates that write them as JSON, numbers as they were", () => {
    const rendered = renderer(withArguments("{{- c.function.arguments|tojson -}}")).render(calling(text), false);
    expect(rendered).to.contain('lookup({"city": "Paris", "n": 1.0})');
  });

  it("stay the model's text where the template takes text", () => {
    const either = "{{- c.function.arguments if c.function.arguments is string else c.function.arguments|tojson -}}";
    expect(renderer(withArguments(either)).render(calling(text), false)).to.contain(`lookup(${text})`);
  });

  it("are text for templates that only take text, mappings included", () => {
    const only = withArguments("{{- c.function.arguments + '' -}}");
    expect(renderer(only).render(calling(text), false)).to.contain(`lookup(${text})`);
    expect(renderer(only).render(calling({ city: "Paris", n: 2 }), false)).to.contain(
      'lookup({"city": "Paris", "n": 2})',
    );
  });

  it("are a mapping where a template writes text otherwise than a mapping", () => {
    const braces = `{%- if c.function.arguments is string -%}{{- '{' + c.function.arguments + '}' -}}{%- else -%}{{- '{' -}}${PAIRS}{{- '}' -}}{%- endif -%}`;
    expect(renderer(withArguments(braces)).render(calling('{"city": "Paris"}'), false)).to.contain(
      "lookup({city=Paris })",
    );
  });

  it("may be empty", () => {
    expect(renderer(withArguments(PAIRS)).render(calling(""), false)).to.contain("lookup()");
  });

  it("that are no JSON object are passed on, and are a coded error where the template cannot write them", async () => {
    const bad = '{"cmd": "ls" "x"}';
    const json = renderer(withArguments("{{- c.function.arguments|tojson -}}"));
    expect(json.render(calling(bad), false)).to.contain(JSON.stringify(bad));
    for (const args of [bad, "[1]", "nonsense"]) {
      const error = await errorOf(() => renderer(withArguments(PAIRS)).render(calling(args), false));
      expect(error.code).to.equal("VERL_DATA_TOOL_ARGUMENTS");
      expect(error.message).to.contain("message 1: the arguments of tool call 0 (lookup)");
    }
  });

  it("are shown by templates that write calls only beside empty or only beside absent content", () => {
    const absent = withArguments(PAIRS).replace("m.tool_calls or []", "m.tool_calls if m.content is none");
    const empty = withArguments(PAIRS).replace("m.tool_calls or []", "m.tool_calls if m.content is string");
    for (const template of [absent, empty]) {
      for (const content of ["", null]) {
        expect(renderer(template).render([...calling(text, content)], false)).to.contain("lookup(city=Paris");
      }
    }
  });

  it("stand in messages without the wrapper `function` too", () => {
    const flat = withArguments(PAIRS)
      .replaceAll("c.function.", "f.")
      .replace("{{- f.name", "{%- set f = c.function if c.function is defined else c -%}{{- f.name");
    const messages = [
      user(),
      { role: "assistant", content: "", tool_calls: [{ name: "lookup", arguments: '{"a": 1}' }] },
    ];
    expect(renderer(flat).render(messages, false)).to.contain("lookup(a=1 )");
  });

  it("leave messages as they were", () => {
    const messages = calling(text);
    const before = structuredClone(messages);
    renderer(withArguments(PAIRS)).render(messages, true);
    expect(messages).to.deep.equal(before);
  });

  it("render by Qwen2.5's template from their text, in prompts as well", () => {
    const template = new ChatTemplate(readFileSync("test/fixtures/data/chat-templates/qwen2.5.jinja", "utf8"));
    const toy = createToyTokenizer();
    const tokenizer = {
      ...toy,
      renderChat: (messages: readonly ChatMessage[]) => template.render({ messages, tools: null }),
    };
    const rendered = toy.decode(encodePrompt(tokenizer, calling('{"city": "Paris"}')));
    expect(rendered).to.contain('{"name": "lookup", "arguments": {"city": "Paris"}}');
  });
});
