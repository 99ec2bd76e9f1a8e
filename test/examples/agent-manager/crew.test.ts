import { expect } from "chai";
import { addTogether, type CrewRequest } from "../../../examples/agent-manager/crew.js";

const reversed = (text: string) => [...text].reverse().join("");

describe("examples/agent-manager/crew", () => {
  it("hands each agent what its colleague answered", async () => {
    const asked: CrewRequest[] = [];
    const sum = await addTogether([57, 38, 41], async (request) => {
      asked.push(request);
      const [a, b] = request.text
        .slice(0, -1)
        .split("+")
        .map((text) => Number(reversed(text)));
      return reversed(String(a + b));
    });
    expect(sum).to.equal(136);
    expect(asked).to.deep.equal([
      { agent: "adder 1", text: "75+83=" },
      { agent: "adder 2", text: "59+14=" },
    ]);
  });

  for (const answer of ["", "+", "12=", "1234", "10"]) {
    it(`gives up when an agent answers ${JSON.stringify(answer)}`, async () => {
      let asked = 0;
      const sum = await addTogether([1, 2, 3], async () => {
        asked++;
        return answer;
      });
      expect([sum, asked]).to.deep.equal([null, 1]);
    });
  }
});
