import { execFileSync } from "node:child_process";
import { expect } from "chai";
import fc from "fast-check";
import { parseOverride } from "../../../../core/config/compose/overrides.js";
import { asTyped } from "../../../../core/config/compose/quoting.js";
import { checkKeys } from "../../../../core/config/keys/check-keys.js";
import { codedError, compose } from "../support.js";

/** What a shell hands to a program. */
const shell = (typed: string) => execFileSync("sh", ["-c", `printf %s ${typed}`], { encoding: "utf8" });

describe("core/config/compose/quoting", () => {
  const NO_TEXTS = ["nan", "-inf", "true", "FALSE", "1e3", "007e1", "12", "null"];
  for (const name of NO_TEXTS) {
    it(`says how a run is named ${name}`, async () => {
      const { tree } = await compose([`trainer.experiment_name=${name}`]);
      const [{ key, why, fix }] = checkKeys(tree).problems;
      expect(key).to.equal("trainer.experiment_name");
      expect(why).to.match(/^Without quotes it is /);
      const typed = `'trainer.experiment_name="${name}"'`;
      expect(fix)
        .to.match(name === "null" ? /^Leave it out for its default;/ : /^Quote it/)
        .and.include(`quote it, and all of it for the shell: ${typed}`.slice(1));
      const corrected = await compose([shell(typed)]);
      expect(checkKeys(corrected.tree).config.trainer.experiment_name).to.equal(name);
    });
  }

  it("says it of one item of a list, and of text that cannot be read", async () => {
    const { tree } = await compose(["trainer.logger=[console, 1]"]);
    expect(checkKeys(tree).problems[0].fix).to.include(`'trainer.logger=[console, "1"]'`);
    const error = await codedError(() => compose(["trainer.experiment_name=a(b);c"]));
    expect(error.fix).to.include(`'trainer.experiment_name="a(b);c"'`);
    const secret = await codedError(() => compose(["+reward.reward_kwargs.api_key=a(b"]));
    expect(secret.fix).to.include(`'+reward.reward_kwargs.api_key="..."'`);
  });

  it("does not ask for quotes where a reference has the wrong type", async () => {
    const { tree } = await compose(["trainer.experiment_name=${trainer.seed}"]);
    expect(checkKeys(tree).problems[0].fix).to.include("Put text beside it");
  });

  it("says nothing of quotes where text is no value", async () => {
    const { tree } = await compose(["data.seed=1.5"]);
    expect(JSON.stringify(checkKeys(tree).problems)).not.to.match(/quote/i);
  });

  it("gives what a shell and the grammar take for that very text", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "'", '"', "\\", " ", "$", "`", "!", "(", ";", "é") });
    fc.assert(
      fc.property(text, (value) => {
        const typed = asTyped(`a.b=${value}`);
        if (typed === null) return;
        const read = parseOverride(shell(typed)).value;
        expect(read?.kind === "scalar" && read.value).to.equal(value.trim());
      }),
      { numRuns: 50 },
    );
  });
});
