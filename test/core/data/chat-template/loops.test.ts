import { agreesWithPython } from "./support.js";

describe("chat templates: loops go on as Python's do", () => {
  agreesWithPython([
    [
      "a round that breaks or continues does not keep the else branch away",
      "{% for i in [1, 2] %}{% continue %}{% else %}none{% endfor %}{% for i in [1] %}{% break %}{% else %}none{% endfor %}",
      "nonenone",
    ],
    [
      "a condition sees what earlier rounds did",
      "{% set ns = namespace(m=0) %}{% for i in [1, 3, 2, 4] if i > ns.m %}{{ i }}{% set ns.m = i %}{% endfor %}",
      "134",
    ],
    [
      "items are made when they are needed",
      "{% for i in [1, 'a', 2] | map('abs') %}{{ i }}{% break %}{% endfor %}",
      "1",
    ],
    [
      "names in a condition are taken apart and put together as tuples",
      "{% for a, b in [[1, 2], [0, 3], [4, 5]] if a %}{{ loop.nextitem }}{% endfor %}",
      "(4, 5)",
    ],
    [
      "the length of a generator",
      "{% for i in xs | map('abs') %}{{ loop.index }}/{{ loop.length }}{{ loop.revindex }} {% endfor %}",
      "1/33 2/32 3/31 ",
    ],
    [
      "the loop as a value",
      "{% for i in xs %}{% if loop.first %}{{ loop }}{{ loop | length }}{% for a, l in loop %}{{ a }}{% endfor %}{% endif %}{% endfor %}",
      "<LoopContext 1/3>312",
    ],
    [
      "break in a set block leaves the loop without an assignment",
      "{% for i in [1, 2] %}{% set y %}{% break %}{% endset %}{{ y }}{% endfor %}|{{ y }}",
      "|",
    ],
    ["break outside a loop", "{% if false %}{% break %}{% endif %}", null],
    [
      "break in the else branch of a recursive loop",
      "{% for i in [1] %}{% for j in [] recursive %}{% else %}{% break %}{% endfor %}{% endfor %}",
      null,
    ],
    ["loop cannot be assigned to in a loop", "{% for i in [] %}{% set loop = 1 %}{% endfor %}", null],
    [
      "the depth of recursion",
      "{% for i in [[1, [2]]] recursive %}{{ loop.depth }}{{ loop(i) if i is iterable }}{% endfor %}",
      "1223",
    ],
  ]);
});
