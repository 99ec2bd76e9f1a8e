import { agreesWithPython } from "./support.js";

describe("chat templates: constants are computed as Jinja's optimizer does it", () => {
  agreesWithPython([
    ["a slice of what has none is undefined", "[{{ {}[1:2] }}]{{ 5[:1] is defined }}", "[]False"],
    ["unless a variable is in it", "{{ d[1:2] }}", null],
    ["a slice with step 0", "{{ 'abc'[::0] }}", null],
    ["an infinity can be printed", "{{ 1e400 }}{{ 'inf' | float }}", "infinf"],
    ["but not assigned", "{% set y = 'inf' | float %}", null],
    ["or put in a list", "{{ [1e400, x] }}", null],
    ["filters of constants under filters that are none", "{{ {}[1:2] | groupby('x') | map('first') | list }}", "[]"],
    ["what is not reached may be unknown", "{{ true or (1 | nosuch) }}", "True"],
  ]);
});
