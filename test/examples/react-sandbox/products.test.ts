import { expect } from "chai";
import { RandomStream } from "../../../core/data/index.js";
import { Calculator } from "../../../examples/react-sandbox/calculator.js";
import { demonstratedMessages, products, question } from "../../../examples/react-sandbox/products.js";
import { computeScore } from "../../../examples/react-sandbox/reward.js";

describe("examples/react-sandbox/products", () => {
  it("validates products that are not trained on", () => {
    const { train, validation } = products(1, { train: 300, validation: 50 });
    const texts = [...train, ...validation].map(({ prompt }) => prompt[0].content);
    expect(new Set(texts).size).to.equal(350);
    for (const { prompt, reward_model: model } of validation) {
      const [a, b] = prompt[0].content.slice(0, -1).split("*").map(Number);
      expect(model.ground_truth).to.equal(String(a * b));
    }
  });

  it("is taught by somebody whose program is right and whose guesses are not", () => {
    const random = new RandomStream(1, "test");
    const product = { a: 123, b: 456 };
    const taught = Array.from({ length: 900 }, () => demonstratedMessages(product, random));
    const written = taught.filter(({ length }) => length === 4);
    expect(written.length / taught.length).to.be.closeTo(1 / 3, 0.05);
    for (const messages of written) expect(messages[3].content).to.equal("Answer: 56088");
    const guesses = taught.filter(({ length }) => length === 2);
    expect(guesses.filter((messages) => messages[1].content === "Answer: 56088").length).to.be.at.most(3);
    expect(taught[0][0].content).to.equal(question(product));
  });

  it("has a calculator that answers as the sandbox would, and refuses other programs", async () => {
    const schema = { type: "function", function: { name: "code_interpreter" } } as const;
    const calculator = new Calculator({}, schema);
    expect(await calculator.execute("i", { code: "echo $((123*456))" })).to.deep.equal({
      text: "exit code 0\nstdout:\n56088",
    });
    const refusal = await calculator.execute("i", { code: "rm -r /" }).then(String, String);
    expect(refusal).to.include("only products");
  });

  it("rewards the number after the last Answer:", () => {
    expect(computeScore({ solution: "Answer: 56088", groundTruth: "56088" }).score).to.equal(1);
    for (const solution of ["56088", "Answer: 56089", "Answer: 56088 or so"]) {
      expect(computeScore({ solution, groundTruth: "56088" }).score).to.equal(0);
    }
  });
});
