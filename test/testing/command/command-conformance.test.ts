import { expect } from "chai";
import type { PluginCommand } from "../../../core/plugin.js";
import { commandConformance, runConformance } from "../../../testing/index.js";
import { failing } from "../support.js";

describe("command conformance", () => {
  const command: PluginCommand = {
    name: "count",
    description: "Counts words.",
    run({ args, stdout }) {
      stdout.write(`${args.length}\n`);
      return args.some((word) => word.startsWith("-")) ? 2 : 0;
    },
  };
  runConformance("a command", commandConformance({ command, calls: [[], ["a"]] }), { describe, it });

  const cases = (over: Partial<PluginCommand>) =>
    failing(commandConformance({ command: { ...command, ...over }, calls: [[]] }));

  it("catches names that are taken, and commands that take every word", async () => {
    const [name] = await cases({ name: "train" });
    expect(name).to.include("has a name that is free");
    const [words] = await cases({ run: () => 0 });
    expect(words).to.include("refuses words that it does not know");
  });

  it("catches colours that nobody asked for, and exit codes that are none", async () => {
    const run: PluginCommand["run"] = ({ args, stdout }) => {
      stdout.write("\u001b[31mred");
      return args.length > 0 ? 2 : 0;
    };
    expect(await cases({ run })).to.deep.equal([
      "says the same when it is called again, without colours where none are wanted",
    ]);
    expect(await cases({ run: () => 4.5 })).not.to.have.length(0);
  });
});
