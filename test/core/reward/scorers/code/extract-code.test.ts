import { expect } from "chai";
import { extractCode, extractCodeLikeVerl } from "../../../../../core/reward/scorers/code/extract-code.js";

const block = (mark: string, code: string) => `\`\`\`${mark}\n${code}\n\`\`\``;

describe("reward/scorers/code: the program of a response", () => {
  const cases: [string, string, string | null][] = [
    ["a marked block", `So:\n${block("python", "print(1)")}\nDone.`, "print(1)"],
    ["the last of several", `${block("python", "print(1)")}\n${block("python", "print(2)")}`, "print(2)"],
    ["other names of the language", block("Python3", "print(1)"), "print(1)"],
    ["a marked block before an unmarked one", `${block("py", "print(1)")}\n${block("", "1\n2")}`, "print(1)"],
    ["an unmarked block where none is marked", `${block("", "print(1)")}\nor\n${block("", "print(2)")}`, "print(2)"],
    ["no block of another language", block("cpp", "int main() {}"), null],
    ["nothing without a block", "print(1)", null],
    ["nothing of a block that is cut off", "```python\nprint(1)", null],
    ["the block before one that is cut off", `${block("python", "print(1)")}\n\`\`\`python\nprint(`, "print(1)"],
    ["a fence at the end of a line of code", "```python\nx = 1\nprint(x)```\n", "x = 1\nprint(x)"],
    ["longer fences, with fences inside", "````python\ns = '''\n```\n'''\n````", "s = '''\n```\n'''"],
    ["tildes", "~~~python\nprint(1)\n~~~", "print(1)"],
    ["an answer, not a thought", `<think>\n${block("python", "bad")}\n</think>\n${block("python", "good")}`, "good"],
    ["no thought without an answer", `<think>${block("python", "bad")}</think>\nI do not know.`, null],
    ["indented fences, and their code as it is", "1. So:\n   ```python\n   print(1)\n   ```", "   print(1)"],
    ["an empty program", "```python\n```", ""],
    ["lines that end as on Windows", "```python\r\nprint(1)\r\n```\r\n", "print(1)\r"],
  ];
  for (const [what, text, code] of cases) {
    it(`is ${what}`, () => expect(extractCode(text, "python")).to.equal(code));
  }

  it("is looked for in the language that is asked for", () => {
    const both = `${block("js", "console.log(1)")}\n${block("python", "print(1)")}`;
    expect(extractCode(both, "javascript")).to.equal("console.log(1)");
  });

  it("takes time in proportion to the text", () => {
    const many = 100_000;
    const texts = ["```", "```\n", "```python\n", "`", "~~~ ```\n", "</think>"].map((piece) => piece.repeat(many));
    texts.push(`\`\`\`${" ".repeat(many)}\``, `\`\`\`\n${"`".repeat(many)}x\`\`\`\n`);
    for (const text of texts) {
      extractCode(text, "python");
      extractCodeLikeVerl(text);
    }
  });

  const verl: [string, string, string | null][] = [
    ["the last marked block", `${block("python", "print(1)")} ${block("python", "print(2)")}`, "\nprint(2)\n"],
    ["a marked block that is cut off", "```python\nprint(1)", "\nprint(1)"],
    ["the first block where none is marked", `${block("", "a")}\n${block("", "b")}`, "\na\n"],
    ["a block without the name of its language", block("cpp", "int x;"), "int x;\n"],
    ["a first line that is more than letters", block("c++", "int x;"), "c++\nint x;\n"],
    ["a thought too", "<think>```python\nbad\n```</think>", "\nbad\n"],
    ["nothing without a fence", "print(1)", null],
  ];
  for (const [what, text, code] of verl) {
    it(`is, by verl's rules, ${what}`, () => expect(extractCodeLikeVerl(text)).to.equal(code));
  }
});
