import { expect } from "chai";
import { checkRowInteractions, checkRowTools } from "../../../../core/agent/index.js";
import type { Row } from "../../../../core/plugin.js";

const rows = (...list: readonly Row[]) => [
  { length: list.length, at: (i: number) => ({ messages: [], row: list[i], origin: `train.jsonl:${i + 1}` }) },
];
const selected = (tool_selection: unknown) => ({ extra_info: { tool_selection } }) as Row;
const yes = () => true;

describe("what rows say about tools and simulated users", () => {
  it("is taken where it fits, is left out, or is null", () => {
    const kwargs = { look: { create_kwargs: { at: 1 } }, other: null, plain: {} };
    const list = [selected(["look"]), selected(null), {}, { tools_kwargs: kwargs } as Row];
    checkRowTools(["look"], yes, rows(...list));
    checkRowInteractions(["u"], yes, rows({ extra_info: { interaction_kwargs: { name: "u" } } } as Row));
  });

  it("may name any tool in a run, or for a loop, without tools", () => {
    checkRowTools([], yes, rows(selected(["look"])));
    checkRowTools(["other"], () => false, rows(selected(["look"])));
    checkRowInteractions(["u"], () => false, rows({}));
    checkRowInteractions([], yes, rows({}));
  });

  for (const [row, text] of [
    [selected(["lok"]), 'there is no tool "lok"'],
    [selected("look"), 'tool_selection is "look", not a list of names'],
    [selected([1]), "tool_selection is [1], not a list of names"],
    [{ tools_kwargs: "oops" }, 'tools_kwargs is "oops", not an object of tools'],
    [{ extra_info: { tools_kwargs: { look: 5 } } }, "look is 5, not an object"],
    [{ tools_kwargs: { look: { create_kwargs: [1, 2] } } }, "look.create_kwargs is [1,2], not an object"],
  ] as const) {
    it(`is refused before anything starts, with the row: ${text}`, () => {
      expect(() => checkRowTools(["look"], yes, rows({}, row as Row)))
        .to.throw("VERL_AGENT_BAD_ROW")
        .with.property("message")
        .that.contains(text)
        .and.contains("dataset row train.jsonl:2");
    });
  }

  for (const [row, text] of [
    [{}, "the row names no interaction"],
    [{ interaction_kwargs: { name: "zz" } }, 'there is no interaction "zz"'],
  ] as const) {
    it(`is refused before anything starts, with the row: ${text}`, () => {
      expect(() => checkRowInteractions(["u"], yes, rows(row as Row)))
        .to.throw("VERL_AGENT_BAD_ROW")
        .with.property("message")
        .that.contains(text)
        .and.contains("dataset row train.jsonl:1, extra_info.interaction_kwargs")
        .and.contains("The run has u.");
    });
  }
});
