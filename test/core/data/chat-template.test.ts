import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { ChatTemplate } from "../../../core/data/chat-template.js";
import { JsonFloat, parseLosslessJson } from "../../../core/data/lossless-json.js";
import { isVerlError } from "../../../core/host/errors.js";
import { errorOf } from "../formats/support.js";

type Expected = { readonly text: string } | { readonly error: true };

const FOLDER = "test/fixtures/data/chat-templates";
/** Made by test/peers/chat_templates.py with Python's transformers and Jinja. */
const goldens = JSON.parse(readFileSync(`${FOLDER}/goldens.json`, "utf8")) as {
  variables: Record<string, unknown>;
  snippets: (Expected & { template: string })[];
  conversations: Record<string, Record<string, unknown>>;
  families: Record<string, Record<string, Expected>>;
};
const clock = () => new Date(2026, 2, 5, 9, 7, 3);

function render(template: string, variables: Record<string, unknown>): Expected {
  try {
    return { text: new ChatTemplate(template, clock).render(variables) };
  } catch (error) {
    if (isVerlError(error)) return { error: true };
    throw error;
  }
}

describe("chat templates", () => {
  for (const [file, conversations] of Object.entries(goldens.families)) {
    for (const [name, expected] of Object.entries(conversations)) {
      it(`render ${file} as Python does: ${name}`, () => {
        const template = readFileSync(`${FOLDER}/${file}`, "utf8");
        expect(render(template, goldens.conversations[name])).to.deep.equal(expected);
      });
    }
  }

  it("agree with Python's Jinja on statements, operators, filters, tests and methods", () => {
    for (const { template, ...expected } of goldens.snippets) {
      expect(render(template, goldens.variables), template).to.deep.equal(expected);
    }
  });

  it("tell integers from floats of the same value, and keep large integers", () => {
    const v = parseLosslessJson('{"a": 1, "b": 1.0, "c": 12345678901234567890, "d": -0.0, "2": [], "1": {}}');
    const text = new ChatTemplate("{{ v }} {{ v | tojson }} {{ f / 2 }}").render({ v, f: new JsonFloat(3) });
    expect(text).to.equal(
      "{'a': 1, 'b': 1.0, 'c': 12345678901234567890, 'd': -0.0, '2': [], '1': {}} " +
        '{"a": 1, "b": 1.0, "c": 12345678901234567890, "d": -0.0, "2": [], "1": {}} 1.5',
    );
  });

  it("say which line cannot be parsed", async () => {
    const error = await errorOf(() => new ChatTemplate("a\n{% if x %}\n{{ 1 + }}{% endif %}"));
    expect(error.code).to.equal("VERL_DATA_CHAT_TEMPLATE_INVALID");
    expect(error.message).to.include("line 3").and.include("unexpected '}}'");
  });

  it("say which line failed and why", async () => {
    const template = new ChatTemplate("{% for m in messages %}\n{{ m.content + 1 }}\n{% endfor %}");
    const error = await errorOf(() => template.render({ messages: [{ content: "x" }] }));
    expect(error.code).to.equal("VERL_DATA_CHAT_TEMPLATE_FAILED");
    expect(error.message).to.include("line 2").and.include("TypeError");
  });

  it("hand on the words of raise_exception", async () => {
    const template = new ChatTemplate("{{ raise_exception('roles must alternate') }}");
    const error = await errorOf(() => template.render({}));
    expect(error.code).to.equal("VERL_DATA_CHAT_TEMPLATE_REFUSED");
    expect(error.message).to.include("roles must alternate");
  });

  it("count no further than Jinja's sandbox", async () => {
    expect(new ChatTemplate("{{ range(100000) | length }}").render({})).to.equal("100000");
    const error = await errorOf(() => new ChatTemplate("{% for i in range(100001) %}{% endfor %}").render({}));
    expect(error.code).to.equal("VERL_DATA_CHAT_TEMPLATE_FAILED");
    expect(error.message).to.include("range too big");
  });

  it("neither change nor keep what they are given", () => {
    const messages = [{ role: "user", tags: ["a"] }];
    const template = new ChatTemplate("{% set messages = messages + [1] %}{{ messages | length }}");
    expect([template.render({ messages }), template.render({ messages })]).to.deep.equal(["2", "2"]);
    expect(messages).to.deep.equal([{ role: "user", tags: ["a"] }]);
  });

  it("see no JavaScript object behind a value", () => {
    const probes = ["constructor", "__proto__", "toString", "hasOwnProperty", "prototype"];
    for (const name of probes) {
      const template = new ChatTemplate(
        `{{ m.${name} is defined }}{{ ''.${name} is defined }}{{ [].${name} is defined }}`,
      );
      expect(template.render({ m: {} }), name).to.equal("FalseFalseFalse");
    }
    expect(render("{{ x | constructor }}", {})).to.deep.equal({ error: true });
    expect(render("{{ 1 is constructor }}", {})).to.deep.equal({ error: true });
  });

  const endless: [string, string][] = [
    ["a loop over everything", "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"],
    ["endless recursion", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"],
    ["a huge power", "{{ 9 ** (9 ** 9) }}"],
    ["a huge text", "{{ 'x' * 999999999999 }}"],
    [
      "a text that doubles",
      "{% set n = namespace(x='x') %}{% for i in range(99) %}{% set n.x = n.x + n.x %}{% endfor %}",
    ],
    [
      "a list that doubles",
      "{% set n = namespace(x=[1]) %}{% for i in range(99) %}{% set n.x = n.x + n.x %}{% endfor %}",
    ],
    [
      "an integer that squares",
      "{% set n = namespace(x=9) %}{% for i in range(99) %}{% set n.x = n.x * n.x %}{% endfor %}",
    ],
    ["a huge width", "{{ '%999999999d' % 1 }}"],
    ["deep nesting", `{{ ${"(".repeat(5000)}1${")".repeat(5000)} }}`],
    ["long chains of signs", `{{ ${"-".repeat(100000)}1 }}`],
  ];
  for (const [what, template] of endless) {
    it(`end ${what} with an error`, () => {
      expect(render(template, {})).to.deep.equal({ error: true });
    });
  }

  it("answer any damaged template with a text or a coded error", () => {
    const source = readFileSync(`${FOLDER}/qwen2.5.jinja`, "utf8");
    const variables = goldens.conversations.tools;
    const edit = fc.record({
      at: fc.nat(source.length - 1),
      drop: fc.nat(3),
      add: fc.constantFrom("", "{", "}", "%", "(", "'", "|", "-"),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        const damaged = edits.reduce(
          (text, { at, drop, add }) => text.slice(0, at) + add + text.slice(at + drop),
          source,
        );
        render(damaged, variables);
      }),
      { numRuns: 100 },
    );
  });
});
