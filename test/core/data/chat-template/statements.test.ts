import { agreesWithPython } from "./support.js";

describe("chat templates: statements", () => {
  agreesWithPython([
    ["a colon may end a tag", "{% if true: %}a{% else: %}b{% endif %}{% for i in xs: %}{{ i }}{% endfor %}", "a312"],
    ["print takes several values and none", "{% print 1, 'a' %}{% print %}", "1a"],
    ["a filter that does not exist is an error at once", "{% for i in [] %}{{ i | nosuch }}{% endfor %}", null],
    [
      "but not in a branch that is not taken",
      "{% if false %}{{ 1 | nosuch }}{{ 1 is nosuch }}{% endif %}{{ 1 if true else 1 | nosuch }}ok",
      "1ok",
    ],
    [
      "except in a loop inside the branch",
      "{% if false %}{% for i in [] %}{{ i | nosuch }}{% endfor %}{% endif %}",
      null,
    ],
    [
      "other templates cannot be loaded",
      "{% if false %}{% include 'a' %}{% import 'a' as b %}{% from 'a' import b, c as d with context %}{% endif %}{% include [] ignore missing %}ok",
      "ok",
    ],
    ["include", "{% include 'a' ignore missing %}", null],
    ["extends", "{% extends 'a' %}", null],
    ["extends in a branch that is not taken", "{% if false %}{% extends 'a' %}{% endif %}ok", "ok"],
    ["a filter block prints only texts", "{% filter length %}abc{% endfilter %}", null],
    ["a keyword given twice", "{% if false %}{{ dict(a=1, a=2) }}{% endif %}", null],
    ["a parameter given twice", "{% macro m(a, a) %}{% endmacro %}", null],
    ["several subscripts with a slice among them", "{% if false %}{{ xs[1:2, 0] }}{% endif %}", null],
    ["no subscript", "[{{ xs[] }}]", "[]"],
    [
      "a call block hands over no second caller",
      "{% macro m() %}{{ caller }}{% endmacro %}{% call m(caller=1) %}{% endcall %}",
      null,
    ],
    [
      "macros and callers as values",
      "{% macro m() %}{{ caller }}{{ caller.name }}{% endmacro %}{{ m }}{% call m() %}{% endcall %}",
      "<Macro 'm'><Macro anonymous>None",
    ],
    ["a comment or raw block that opens at the very end", "a{#", "a"],
    ["and one that goes on", "a{# ", null],
    [
      "what every object of Python has is hidden",
      "[{{ ''.__class__ }}{{ nope.__class__ }}{{ {'__class__': 1}.__class__ }}]",
      "[]",
    ],
    [
      "names of Python",
      "{{ dict }} {{ namespace }} {{ cycler }} {{ joiner }}",
      "<class 'dict'> <class 'jinja2.utils.Namespace'> <class 'jinja2.utils.Cycler'> <class 'jinja2.utils.Joiner'>",
    ],
  ]);
});
