import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (...file: string[]) => readFileSync(path.join(root, ...file), "utf8");

/** Those with a page of their own in their folder are no tutorials. */
const tutorials = readdirSync(path.join(root, "examples")).filter(
  (name) =>
    existsSync(path.join(root, "examples", name, "grpo.yaml")) &&
    !existsSync(path.join(root, "examples", name, "README.md")),
);

describe("docs/Guide/tutorials", () => {
  it("are run by npm run examples", () => {
    const [, names] = /const NAMES = (\[.*\]);/.exec(read("scripts", "examples.mjs"))!;
    expect((JSON.parse(names) as string[]).sort()).to.deep.equal(tutorials.sort());
  });

  for (const name of tutorials) {
    it(`has a page for ${name} with its curve, that the lists of examples name`, () => {
      const page = `docs/Guide/tutorials/${name}.md`;
      expect(read(page)).to.include(`](${name}.svg)`).and.include(`npm run examples -- ${name}`);
      expect(read("docs/Guide/tutorials", `${name}.svg`)).to.match(/^<svg .*<path d="M/s);
      expect(read("README.md")).to.include(page);
      expect(read("docs/Guide/tutorials/README.md")).to.include(`(${name}.md)`);
    });
  }
});
