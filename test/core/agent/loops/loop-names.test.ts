import { expect } from "chai";
import { checkAgentNames } from "../../../../core/agent/index.js";
import { defineErrors } from "../../../../core/host/errors.js";

const errors = defineErrors({ VERL_REGISTRY_TEST: { summary: "" } });
const registered = (name: string) => {
  if (name === "tool_agent") return {};
  throw errors.VERL_REGISTRY_TEST({ what: `There is no agentLoop "${name}".`, why: "Known: tool_agent." });
};
const rows = (...names: readonly (string | number | null)[]) => ({
  length: names.length,
  at: (i: number) => ({ messages: [], row: { agent_name: names[i] }, origin: `train.jsonl:${i + 1}` }),
});

describe("names of agent loops in the data", () => {
  const known = { own: ["mine"], registered };

  it("are those of the user's list, registered ones, or nothing at all", () => {
    checkAgentNames(known, "tool_agent", [rows("mine", "tool_agent", null), rows()]);
  });

  for (const [name, what] of [
    ["other", 'There is no agent loop "other".'],
    ["", 'There is no agent loop "".'],
    [5, "an agent loop is named by a text, not by 5"],
  ] as const) {
    it(`are refused before anything starts, with their row: ${JSON.stringify(name)}`, () => {
      expect(() => checkAgentNames(known, "tool_agent", [rows("mine", name)]))
        .to.throw("VERL_AGENT_UNKNOWN_LOOP")
        .with.property("message")
        .that.contains(what)
        .and.contains("dataset row train.jsonl:2, column agent_name");
    });
  }

  it("are listed, those of the user with the registered ones, where the default is unknown", () => {
    expect(() => checkAgentNames(known, "other", []))
      .to.throw("VERL_AGENT_UNKNOWN_LOOP")
      .with.property("message")
      .that.contains("agent.default_agent_loop")
      .and.contains("Known: tool_agent. agent.agent_loop_config_path has mine.");
  });
});
