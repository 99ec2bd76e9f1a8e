import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const tool = (name: string) => fileURLToPath(new URL(`${name}/run.js`, import.meta.url));
const run = (name: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [tool(name), ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
};

describe("the command lines of the tools", () => {
  const THIS = fileURLToPath(import.meta.url);
  const wrong: [string, string[], string][] = [
    ["golden", [THIS], "is a file; name the folder that holds it"],
    ["cases", [".", "--kind", "nosuch"], "There is no kind nosuch; kinds are "],
    ["fuzz", ["--runs", "many"], '--runs is a whole number, at least 0; "many" is not'],
    ["fuzz", ["json"], "Unexpected argument 'json'"],
  ];
  for (const [name, args, message] of wrong)
    it(`${name} ${args.map((arg) => (arg === THIS ? "FILE" : arg)).join(" ")} is answered by its usage`, () => {
      const { status, stderr } = run(name, ...args);
      expect(status).to.equal(2);
      expect(stderr)
        .to.include(message)
        .and.include(`usage: npm run ${name} --`)
        .and.not.match(/^ {4}at /m);
    }).timeout(20_000);
});
