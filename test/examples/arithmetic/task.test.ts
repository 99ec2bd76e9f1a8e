import { expect } from "chai";
import { RandomStream } from "../../../core/data/index.js";
import { computeScore } from "../../../examples/arithmetic/reward.js";
import { type AdditionItem, additionTask, demonstration } from "../../../examples/arithmetic/task.js";

const numbers = ({ prompt }: AdditionItem) =>
  prompt
    .slice(0, -1)
    .split("+")
    .map((text) => Number([...text].reverse().join("")));

describe("examples/arithmetic/task", () => {
  const task = additionTask(1, 1024);

  it("writes numbers and answers least significant digit first", () => {
    for (const item of task.validation) {
      const [a, b] = numbers(item);
      expect(item.answer).to.equal(`${[...String(a + b)].reverse().join("")}.`);
    }
  });

  it("never trains on a pair that is validated, in either order", () => {
    const pair = (item: AdditionItem) =>
      numbers(item)
        .sort((a, b) => a - b)
        .join("+");
    const held = new Set(task.validation.map(pair));
    expect(held.size).to.equal(1024);
    expect(task.train.some((item) => held.has(pair(item)))).to.equal(false);
    expect(task.train.length + 2 * 1024).to.be.within(10_000, 10_100);
  });

  it("has a sloppy teacher who is right exactly where nothing is carried", () => {
    for (const item of task.train) {
      const [a, b] = numbers(item);
      const carries = (a % 10) + (b % 10) > 9 || Math.floor(a / 10) + Math.floor(b / 10) > 9;
      expect(item.sloppyAnswer === item.answer).to.equal(!carries);
    }
  });

  it("demonstrates the right answer as often as it should", () => {
    const random = new RandomStream(3, "test");
    const drawn = Array.from({ length: 4000 }, () => demonstration(task, random, 0.75));
    const answers = new Map(task.train.map((item) => [item.prompt, item.answer]));
    const right = drawn.filter(({ prompt, answer }) => answers.get(prompt) === answer).length / drawn.length;
    expect(right).to.be.closeTo(0.477, 0.03);
  });

  it("rewards exactly the right digits", () => {
    expect(computeScore({ solution: "521", groundTruth: "521" }).score).to.equal(1);
    for (const solution of ["52", "5210", "125", ""]) {
      expect(computeScore({ solution, groundTruth: "521" }).score).to.equal(0);
    }
  });
});
