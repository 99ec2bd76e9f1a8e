import { agreesWithPython } from "./support.js";

describe("chat templates: literals", () => {
  agreesWithPython([
    ["digits of other scripts", "{{ 1٣ }}", "13"],
    ["characters that are no names", "{{ x² }}", null],
    ["a backslash before a character beyond ASCII", "{{ '\\é\\世' }}", "\\xe9\\u4e16"],
    ["an octal escape", "{{ '\\101\\7' | tojson }}", '"A\\u0007"'],
    ["an integer that Python refuses to read", `{{ ${"9".repeat(4301)} }}`, null],
  ]);
});
