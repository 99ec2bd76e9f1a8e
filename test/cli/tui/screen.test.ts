import { PassThrough } from "node:stream";
import { expect } from "chai";
import { Screen } from "../../../cli/tui/screen.js";

describe("cli/tui/screen", () => {
  it("clears what a terminal that became lower keeps of the old picture", () => {
    const output = Object.assign(new PassThrough(), { columns: 20, rows: 5 });
    // Newer versions of Node.js give one chunk for each call.
    const written = () => {
      let text = "";
      for (let chunk = output.read(); chunk !== null; chunk = output.read()) text += chunk;
      return text;
    };
    let lines = ["one", "two", "three", "four"];
    const screen: Screen = new Screen(
      output as unknown as NodeJS.WriteStream,
      () => {},
      () => screen.draw(lines),
      () => {},
    );
    screen.enter();
    expect(written()).to.contain("four");
    output.rows = 2;
    lines = ["one"];
    output.emit("resize");
    const after = written();
    expect(after).to.contain("\u001b[2J");
    expect(after.indexOf("one")).to.be.greaterThan(after.indexOf("\u001b[2J"));
    screen.leave();
  });
});
