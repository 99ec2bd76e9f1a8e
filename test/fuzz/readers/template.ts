import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc, { type Arbitrary } from "fast-check";
import { ChatTemplate } from "../../../core/data/index.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";
import { nested, soup } from "./soup.js";

const FIXTURES = fileURLToPath(new URL("../../../../test/fixtures/data/chat-templates/", import.meta.url));

/** Names that a template sees: messages as prompts have them, and values of every kind. */
const VARIABLES = {
  messages: [
    { role: "user", content: "  What is 2+2? <b>&amp;</b>\n\tété 😀" },
    { role: "assistant", content: "<think>add</think>4" },
    { role: "user", content: "And 3+3?" },
  ],
  calls: [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ type: "function", function: { name: "add", arguments: { a: 1 } } }],
    },
    { role: "tool", content: [{ type: "text", text: "4" }] },
  ],
  tools: [{ type: "function", function: { name: "add", parameters: { type: "object", properties: {} } } }],
  add_generation_prompt: true,
  bos_token: "<s>",
  n: 3,
  x: 2.5,
  s: "abc def",
  l: [3, 1, 2],
  d: { b: 1, a: [1, 2] },
};

const NUMBERS = [
  "0",
  "1",
  "-1",
  "2",
  "3",
  "100",
  "1.5",
  "1e308",
  "4301",
  "99999",
  "1000000000",
  "9223372036854775807",
  "9".repeat(400),
];
const TEXTS = [
  "''",
  "'a'",
  "' '",
  "'%s'",
  "'%9999999d'",
  "'%(a)s'",
  "'{}'",
  "'{:>99999}'",
  "'{0.a[b]!r:{1}}'",
  "'\\t'",
  "'1_000'",
  "'b,a'",
  "'é😀'",
  "'ǆ'",
];
const NAMES = [
  "messages",
  "calls",
  "tools",
  "n",
  "x",
  "s",
  "l",
  "d",
  "loop",
  "namespace",
  "range",
  "dict",
  "cycler",
  "joiner",
  "strftime_now",
  "ns",
  "m",
  "caller",
  "varargs",
  "nope",
];
const FILTERS = (
  "abs attr batch capitalize center count d default dictsort e escape first float forceescape format groupby indent int items join last " +
  "length list lower map max min random reject rejectattr replace reverse round safe select selectattr slice sort string striptags sum " +
  "title tojson trim truncate unique upper urlencode wordcount"
).split(" ");
const TESTS =
  "boolean callable defined divisibleby eq escaped even false filter float ge gt in integer iterable le lower lt mapping ne none number odd sameas sequence string test true undefined upper".split(
    " ",
  );
const METHODS = (
  "append capitalize casefold center copy count endswith expandtabs find format get index isalnum isalpha isascii isdecimal isdigit " +
  "isidentifier islower isnumeric isprintable isspace istitle isupper items join keys ljust lower lstrip partition removeprefix " +
  "removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title upper values zfill " +
  "__class__ __init__ constructor prototype index0 previtem cycle changed name a"
).split(" ");
const OPERATORS = [
  "+",
  "-",
  "*",
  "/",
  "//",
  "%",
  "**",
  "~",
  "==",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "and",
  "or",
  "in",
  "not in",
];

const pick = (options: readonly string[]): Arbitrary<string> => fc.constantFrom(...options);

const grammar = fc.letrec<{ expression: string; args: string; statement: string; template: string }>((tie) => {
  const e = tie("expression");
  const args = fc
    .tuple(
      fc.array(e, { maxLength: 3 }),
      fc.option(fc.tuple(pick(["width", "attribute", "default", "sep", "indent", "reverse"]), e), { freq: 5 }),
    )
    .map(([positional, keyword]) => [...positional, ...(keyword ? [`${keyword[0]}=${keyword[1]}`] : [])].join(", "));
  return {
    args,
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      pick(NUMBERS),
      pick(TEXTS),
      pick(NAMES),
      pick(["true", "none", "[]", "{}", "()", "[1, 2, 3]", "{'a': 1, 'b': 'x'}", "range(5)", "range(0, 9, 2)"]),
      fc.tuple(e, pick(FILTERS), args).map(([value, name, given]) => `(${value})|${name}${given && `(${given})`}`),
      fc.tuple(e, pick(METHODS), args).map(([value, name, given]) => `(${value}).${name}(${given})`),
      fc.tuple(e, pick(METHODS)).map(([value, name]) => `(${value}).${name}`),
      fc.tuple(e, pick(OPERATORS), e).map(([a, operator, b]) => `(${a} ${operator} ${b})`),
      fc.tuple(pick(["-", "+", "not "]), e).map(([operator, value]) => `${operator}(${value})`),
      fc
        .tuple(e, pick(TESTS), fc.option(e))
        .map(([value, name, arg]) => `(${value}) is ${name}${arg === null ? "" : `(${arg})`}`),
      fc.tuple(e, e).map(([value, key]) => `(${value})[${key}]`),
      fc.tuple(e, e, e, e).map(([value, a, b, c]) => `(${value})[${a}:${b}:${c}]`),
      fc
        .tuple(
          pick(["range", "dict", "namespace", "cycler", "joiner", "strftime_now", "m", "loop", "loop.cycle", "caller"]),
          args,
        )
        .map(([name, given]) => `${name}(${given})`),
      fc.tuple(e, e, e).map(([test, yes, no]) => `(${yes} if ${test} else ${no})`),
      fc.array(e, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
    ),
    statement: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      pick(["text ", "  \n", "é{", "{# note #}", "{% break %}", "{% continue %}", "{% set ns = namespace(a=1) %}"]),
      e.map((value) => `{{ ${value} }}`),
      fc
        .tuple(e, tie("template"), tie("template"))
        .map(([test, yes, no]) => `{%- if ${test} %}${yes}{% else %}${no}{% endif -%}`),
      fc
        .tuple(pick(["x", "a, b", "(a, b)", "n"]), e, fc.option(e), pick(["", " recursive"]), tie("template"))
        .map(
          ([target, items, test, recursive, body]) =>
            `{% for ${target} in ${items}${test === null ? "" : ` if ${test}`}${recursive} %}${body}{% endfor %}`,
        ),
      fc.tuple(pick(["x", "s", "ns.a", "a, b"]), e).map(([target, value]) => `{% set ${target} = ${value} %}`),
      fc
        .tuple(pick(["x", "s"]), pick(FILTERS), tie("template"))
        .map(([target, name, body]) => `{% set ${target} | ${name} %}${body}{% endset %}`),
      fc.tuple(tie("template")).map(([body]) => `{% macro m(a, b=2) %}${body}{% endmacro %}`),
      fc.tuple(args, tie("template")).map(([given, body]) => `{% call m(${given}) %}${body}{% endcall %}`),
      fc.tuple(pick(FILTERS), tie("template")).map(([name, body]) => `{% filter ${name} %}${body}{% endfilter %}`),
      fc.tuple(e, tie("template")).map(([value, body]) => `{% with s = ${value} %}${body}{% endwith %}`),
    ),
    template: fc.array(tie("statement"), { maxLength: 4 }).map((parts) => parts.join("")),
  };
});

const WORDS = [
  ...[
    "{{",
    "}}",
    "{%",
    "%}",
    "{#",
    "#}",
    "{%-",
    "-%}",
    "{{-",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    '"',
    "\\",
    "|",
    ",",
    ".",
    ":",
    "~",
    "=",
    " ",
    "\n",
  ],
  ...[
    "{% if ",
    "{% else %}",
    "{% endif %}",
    "{% for x in ",
    "{% endfor %}",
    "{% macro m() %}",
    "{% endmacro %}",
    "{% raw %}",
    "{% endraw %}",
  ],
  ...[
    "not ",
    "-",
    "(((",
    "[[[",
    " if ",
    " else ",
    " is ",
    " in ",
    "|tojson",
    "|string",
    "recursive",
    "loop(",
    "m(",
    "range(",
    "**",
    "//",
  ],
  ...NAMES,
  ...NUMBERS,
];

/** Chat templates: parsed, and rendered over messages. */
export const template: FuzzReader = {
  name: "template",
  seeds: () => [
    ...readdirSync(FIXTURES)
      .filter((name) => name.endsWith(".jinja"))
      .map((name) => readFileSync(FIXTURES + name)),
    "{% macro m(a, b=2) %}{{ a }}{{ caller() if caller }}{% endmacro %}{% call m(1) %}x{% endcall %}{{ m(*[1], **{'b': 3}) }}",
    "{% for k, v in d|dictsort recursive %}{{ loop.index }}{{ k ~ ': ' ~ v }}{{ loop.cycle('a', 'b') }}{% else %}none{% endfor %}",
    "{% set ns = namespace(t='') %}{% for m in messages %}{% set ns.t = ns.t + m.role %}{% endfor %}{{ ns.t|replace('s', 't')|center(40) }}",
    "{{ '%5.2f|%-8s|%+d' % (x, s, n) }}{{ '{:>10}{:,}{!r}'.format(s, 1234567, l) }}{{ messages|tojson(indent=2) }}",
    "{{ messages|selectattr('role', 'eq', 'user')|map(attribute='content')|join(', ')|trim|upper }}{{ s.split(' ')[::-1] }}",
  ],
  words: WORDS,
  generated: fc.oneof(
    grammar.template,
    grammar.expression.map((value) => `{{ ${value} }}`),
    soup(WORDS),
  ),
  hostile: {
    "a range of 10^9": () => "{% for i in range(10**9) %}x{% endfor %}",
    "nested loops": () => `${"{% for i in range(1000) %}".repeat(5)}x${"{% endfor %}".repeat(5)}`,
    "nested empty loops": () => `${"{% for i in range(99999) %}".repeat(3)}${"{% endfor %}".repeat(3)}`,
    "a text 10^9 times": () => "{{ 'x' * 10**9 }}",
    "an empty text 10^400 times": () => "{{ '' * 10**400 }}",
    "an empty list 10^9 times": () => "{{ [] * 10**9 }}",
    "an empty tuple 10^400 times": () => "{{ () * 10**400 }}",
    "a tower of powers": () => "{{ 2**10**9 }}{{ 9**9**9**9 }}",
    "doubling a text": () =>
      "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}{{ ns.s }}",
    "doubling a list": () =>
      "{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}{{ ns.s }}",
    "a list that holds itself many times, printed": () =>
      "{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}",
    "a list that holds itself many times, as JSON": () =>
      "{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s|tojson }}",
    "lists that hold themselves many times, compared": () =>
      "{% set ns = namespace(s=[1], t=[1]) %}{% for i in range(99) %}{% set ns.s = [ns.s, ns.s] %}{% set ns.t = [ns.t, ns.t] %}{% endfor %}{{ ns.s == ns.t }}{{ ns.s < ns.t }}",
    "tuples that hold themselves many times, as key": () =>
      "{% set ns = namespace(s=(1,)) %}{% for i in range(40) %}{% set ns.s = (ns.s, ns.s) %}{% endfor %}{{ {ns.s: 1} }}",
    "a namespace that holds itself": () => "{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}{{ ns|tojson }}",
    "a macro that calls itself": () => "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "a macro that calls itself twice": () => "{% macro m(n) %}{{ m(n-1) ~ m(n-1) if n }}{% endmacro %}{{ m(90) }}",
    "a loop that calls itself": () => "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "a caller that calls itself": () =>
      "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ caller() }}{% endcall %}",
    "a long text on which much is done": () =>
      "{% set t = 'ab ' * 15000000 %}{% for i in range(9999) %}{% set u = t|upper|replace('A', 'xyz')|length %}{{ t.count('b') }}{{ t == u }}{{ 'c' in t }}{{ t[3] }}{% endfor %}",
    "a long list on which much is done": () =>
      "{% set t = [1, 2] * 400000 %}{% for i in range(99999) %}{% set u = t|sort|unique|list|length %}{{ t == u }}{{ 3 in t }}{{ t[::2]|sum }}{{ t|join }}{% endfor %}",
    "a wide field": () => "{{ '%999999999d' % 1 }}",
    "a wide field by star": () => "{{ '%*d' % (999999999, 1) }}",
    "a precise field": () => "{{ '%.999999999f' % 1.5 }}{{ '{:.99999f}'.format(1e300) }}",
    "a wide format field": () => "{{ '{:>999999999}'.format(1) }}",
    "zeros in groups": () => "{{ '{:0100000,d}'.format(1) }}",
    "many zeros in groups": () => "{{ '{:0100000,d}{:099999_x}{:099999,.3f}'.format(1, 2, 3.5) }}",
    "a long integer in groups": () => "{{ '{:,}{:_b}'.format(2**99999, 2**99999) }}",
    "a small number at great precision": () => "{{ '%.99999g' % 1e-300 }}{{ '{:.100000}'.format(1e-5) }}",
    "a character of no code": () => "{{ '%c' % 99999999 }}{{ '{:c}'.format(10**30) }}",
    "center far": () => "{{ 'x'.center(10**12) }}",
    "ljust far": () => "{{ 'x'.ljust(2**62) }}",
    "zfill far": () => "{{ 'x'.zfill(10**15) }}",
    "expandtabs far": () => "{{ ('\\t' * 9999).expandtabs(10**9) }}",
    "center filter far": () => "{{ 'x'|center(10**10) }}",
    "indent far": () => "{{ ('x\\n' * 9999)|indent(10**8) }}",
    "JSON indented far": () => "{{ [[1, 2], [3]]|tojson(indent=10**9) }}",
    "a batch filled far": () => "{{ [1]|batch(10**12, 0)|list }}",
    "very many slices": () => "{{ [1]|slice(10**12)|list }}",
    "round far": () => "{{ 5|round(-10**8) }}{{ 5|round(-999999) }}{{ 1.5|round(10**12) }}",
    "replacing by much": () => "{{ ('x' * 100000)|replace('x', 'y' * 100000) }}",
    "joining by much": () => "{{ range(99999)|join('y' * 100000) }}",
    "formatting much": () => "{{ '{0}' * 9999 }}{{ ('{0}' * 9999).format('x' * 99999) }}",
    "percent formatting much": () => "{{ ('%(a)s' * 9999) % {'a': 'x' * 99999} }}",
    "summing lists": () => "{{ ([[1] * 1000] * 1000)|sum(start=[]) }}",
    "a slice step beyond numbers": () => "{{ range(9)[::10**400] }}{{ [1, 2][::10**400] }}{{ 'ab'[10**400:] }}",
    "splitting into very many": () => "{% set t = 'a,' * 20000000 %}{{ t.split(',')|length }}{{ t|list|length }}",
    "a generator on generators": () =>
      "{% set ns = namespace(x=[1]) %}{% for i in range(99999) %}{% set ns.x = ns.x|map('string') %}{% endfor %}{{ ns.x|list }}",
    "macros defined over and over": () =>
      `{% for i in range(99999) %}{% macro m() %}${"{{ 1 + 2 }}".repeat(9000)}{% endmacro %}{% endfor %}`,
    "blanks before the end of a tag": () => `${" ".repeat(200_000)}x{%- if 1 %}{% endif %}`,
    "blanks inside a text, stripped": () =>
      `{{ ('a' ~ ' ' * 400000 ~ 'b').strip() }}{{ ('a' ~ ' ' * 400000 ~ 'b')|trim }}`,
    "open comments of HTML": () => `{{ ('<!--' * 60000)|striptags }}`,
    "open tags of HTML": () => `{{ ('<' * 200000)|striptags }}`,
    "open keys of percent": () => `{{ ('%(' * 100000) % {} }}`,
    "digits that are no number": () =>
      `{{ ('1' * 200000 ~ 'x')|float }}{{ ('1' * 200000)|int }}{{ ('1' * 200000)|int(base=16) }}`,
    "an integer of 200,000 digits": () => `{{ ${"9".repeat(200_000)} }}`,
    "a chain of 100,000 signs": () => `{{ ${"-".repeat(100_000)}1 }}`,
    "a chain of 30,000 nots": () => `{{ ${"not ".repeat(30_000)}1 }}`,
    "a chain of 60,000 additions": () => `{{ 1${"+1".repeat(60_000)} }}`,
    "a chain of 40,000 ands": () => `{{ 1${" and 1".repeat(40_000)} }}`,
    "a chain of 40,000 filters": () => `{{ 1${"|abs".repeat(40_000)} }}`,
    "a chain of 60,000 attributes": () => `{{ d${".a".repeat(60_000)} }}`,
    "a chain of 60,000 calls": () => `{{ d${"()".repeat(60_000)} }}`,
    "a chain of 20,000 conditions": () => `{{ 1${" if 1 else 2".repeat(20_000)} }}`,
    "50,000 brackets": () => `{{ ${nested("(", ")", 50_000, "1")} }}`,
    "50,000 lists": () => `{{ ${nested("[", "]", 50_000)} }}`,
    "10,000 nested ifs": () => nested("{% if 1 %}", "{% endif %}", 10_000, "x"),
    "5,000 nested loops": () => nested("{% for i in [1] %}", "{% endfor %}", 5_000, "x"),
    "5,000 nested macros": () => nested("{% macro m() %}", "{% endmacro %}", 5_000, "x"),
    "10,000 elifs": () => `{% if 0 %}${"{% elif 0 %}".repeat(10_000)}{% endif %}`,
    "deep targets": () => `{% set ${nested("(", ")", 50_000, "a")} = 1 %}`,
    "open tags": () => "{%".repeat(100_000),
    "open raw blocks": () => `{% raw %}${"{% endraw ".repeat(20_000)}`,
    "open comments": () => "{#".repeat(100_000),
    "a message that is raised": () => "{{ raise_exception('x' * 1000000) }}",
    "a name without end": () => `{{ ${"a".repeat(200_000)}.b }}`,
  },
  // Templates expand: what a rendering may compute is capped by its own count of steps (docs/Reference/limits.md).
  budget: { cpuMs: 2000, bytes: 256 * 2 ** 20 },
  read(input) {
    return new ChatTemplate(textOf(input), () => new Date(2026, 0, 2, 3, 4, 5)).render(VARIABLES);
  },
};
