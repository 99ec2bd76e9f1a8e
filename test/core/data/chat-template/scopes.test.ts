import { agreesWithPython } from "./support.js";

describe("chat templates: variables are resolved as Jinja's compiler does it", () => {
  agreesWithPython([
    ["a set block belongs to its name from the start", "{% set x %}[{{ x }}]{% endset %}{{ x }}", "[]"],
    [
      "a branch that assigns leaves the given value to the others",
      "{% if false %}{% set x = 1 %}{% endif %}{{ x }}",
      "given",
    ],
    [
      "a loop starts each round anew",
      "{% for i in [1, 2] %}{{ x }}{% set x = i %}{{ x }};{% endfor %}{{ x }}",
      "given1;given2;given",
    ],
    [
      "a parameter without a value hides the outer name in defaults",
      "{% set y = 'out' %}{% macro m(a=y, y=2) %}{{ a }}{{ y }}{% endmacro %}[{{ m() }}][{{ m(y=5) }}]",
      "[2][55]",
    ],
    [
      "a macro sees what is assigned later",
      "{% macro m() %}{{ later }}{% endmacro %}{% set later = 1 %}{{ m() }}",
      "1",
    ],
    ["with computes its values outside", "{% with x = x ~ 1, z = x %}{{ x }} {{ z }}{% endwith %}", "given1 given"],
    ["with unpacks", "{% with a, b = (1, 2) %}{{ a }}{{ b }}{% endwith %}", "12"],
    [
      "a filter of a set block sees only names that its body reads",
      "{% set y | replace('a', s) %}abc{% endset %}{{ y }}",
      null,
    ],
    [
      "generation is a call block",
      "{% macro m() %}{% generation %}{{ caller() }}{% endgeneration %}{% endmacro %}{% call m() %}x{% endcall %}",
      null,
    ],
    [
      "a block prints in place, sees what is set at the top and keeps what it sets",
      "{% set x = 1 %}{% block b %}{{ x }}{% set x = 2 %}{% endblock b %}{{ x }}{{ self.b() }}",
      "111",
    ],
    [
      "a block in a loop does not see the loop unless it is scoped",
      "{% for i in [1] %}{% block b %}[{{ i }}]{% endblock %}{% block c scoped %}[{{ i }}{{ loop.index }}]{% endblock %}{% endfor %}",
      "[][11]",
    ],
    ["a namespace in a tuple target", "{% set ns = namespace() %}{% set ns.a, y = 1, 2 %}{{ ns.a }}{{ y }}", "12"],
  ]);
});
