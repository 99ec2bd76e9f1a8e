import { expect } from "chai";
import { ToyFolder } from "../core/trainer/support/toy-run.js";
import { cli } from "./support.js";

describe("an output that cannot be written", () => {
  const commands = {
    "a profile's trace": ["profile", "--trace", "no/where.json"],
    "a rollout's folder": ["debug", "rollout", "--output", "reward.mjs/steps"],
  };
  for (const [what, args] of Object.entries(commands)) {
    it(`is refused before the work: ${what}`, async () => {
      await using folder = await ToyFolder.create();
      const { code, stderr } = await cli(args, { cwd: folder.dir });
      expect(stderr).to.include("VERL_CLI_OUTPUT").and.include(args.at(-1));
      expect(code).to.equal(2);
    });
  }
});
