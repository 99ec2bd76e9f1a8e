import { expect } from "chai";
import { ChatTemplate } from "../../../../core/data/chat-template.js";
import { isVerlError } from "../../../../core/host/errors.js";

const VARIABLES = {
  xs: [3, 1, 2],
  d: { b: 2, a: 1, C: 3 },
  x: "given",
  s: "Hello World",
  big: 12345678901234567890123n,
  users: [{ n: "bob", a: 3 }, { n: "Ann", a: 1 }, { n: "ANN" }],
};

/** One test a case. The expected text is what Jinja2 3.1 printed under Python 3.11; null where it raised. */
export function agreesWithPython(
  cases: readonly (readonly [what: string, template: string, expected: string | null])[],
): void {
  for (const [what, template, expected] of cases) {
    it(what, () => {
      expect(render(template)).to.equal(expected);
    });
  }
}

function render(template: string): string | null {
  try {
    return new ChatTemplate(template).render(VARIABLES);
  } catch (error) {
    if (isVerlError(error)) return null;
    throw error;
  }
}
