import { expect } from "chai";
import { builtinAgentLoops, functionTool, ToolSet } from "../../../../core/agent/index.js";
import type { Row } from "../../../../core/data/index.js";
import { sentTools } from "../../../../core/trainer/setup/tools-setup.js";
import { ToyFolder } from "../support/toy-run.js";

const tool = (name: string) =>
  functionTool(() => "x", { name, description: `${name}.`, parameters: { type: "object" } });

describe("core/trainer: the tools that count towards a prompt's length", () => {
  const paths = { tool_config_path: "tools.yaml", function_tool_path: null };
  const marksOf = ({ agent_name: name = "tool_agent" }: Row) =>
    builtinAgentLoops.find((loop) => loop.name === name || loop.aliases?.includes(String(name)))!;
  const sent = async (tools: ToolSet) =>
    sentTools({ run: { of: async () => tools, close: async () => {} }, loops: { marksOf } }, paths);
  const names = (schemas: readonly unknown[]) =>
    schemas.map((schema) => (schema as { function: { name: string } }).function.name);

  it("are all of the run's, or those that the row selects", async () => {
    const { tools, toolsOf } = await sent(await ToolSet.of([tool("add"), tool("find")]));
    expect(names(tools!)).to.deep.equal(["add", "find"]);
    expect(names(toolsOf!({}))).to.deep.equal(["add", "find"]);
    expect(names(toolsOf!({ extra_info: { tool_selection: ["find", "nowhere"] } }))).to.deep.equal(["find"]);
    expect(toolsOf!({ extra_info: { tool_selection: [] } })).to.deep.equal([]);
  });

  it("are none for rows whose loop shows none", async () => {
    const { toolsOf } = await sent(await ToolSet.of([tool("add")]));
    for (const name of ["single_turn_agent", "single_turn", "partial_single_turn_agent"]) {
      expect(toolsOf!({ agent_name: name }), name).to.deep.equal([]);
    }
    expect(names(toolsOf!({ agent_name: "partial_tool_agent" }))).to.deep.equal(["add"]);
  });

  it("are those that the rollout shows, whatever data.* names", async () => {
    await using folder = await ToyFolder.create({ prompts: ["a", "b", "c", "d", "abcd"] });
    await folder.write(
      "tools.mjs",
      `export const t = { name: "t", schema: ${JSON.stringify(tool("t").schema)}, execute() {} };`,
    );
    const template = "{{ messages[0].content }}{% if tools %}{{ 'll' if tools | length > 0 }}{% endif %}";
    const rollout = "actor_rollout_ref.rollout";
    const rows = async (...overrides: string[]) => {
      const { log } = await folder.train({
        overrides: [
          "trainer.total_training_steps=1",
          "trainer.resume_mode=disable",
          "data.filter_overlong_prompts=true",
          `actor_rollout_ref.model.custom_chat_template=${JSON.stringify(template)}`,
          `${rollout}.agent.default_agent_loop=tool`,
          ...overrides,
        ],
      });
      return /training data: (.*)/.exec(log.join("\n"))?.[1];
    };
    expect(await rows("data.function_tool_path=tools.mjs")).to.equal("5 of 5 rows");
    expect(await rows(`${rollout}.multi_turn.function_tool_path=tools.mjs`)).to.contain("4 of 5 rows");
    expect(await rows(`${rollout}.multi_turn.function_tool_path=tools.mjs`, "data.function_tool_path=null")).to.contain(
      "4 of 5 rows",
    );
  });

  it("are not asked for where a run has none", async () => {
    expect(await sent(ToolSet.empty)).to.deep.equal({});
  });
});
