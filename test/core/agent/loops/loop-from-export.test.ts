import { expect } from "chai";
import {
  type AgentLoopContext,
  type AgentLoopInput,
  agentLoopFromExport,
  SingleTurnAgentLoop,
} from "../../../../core/agent/index.js";
import { agentLoopConformance, runConformance } from "../../../../testing/index.js";

class MyLoop extends SingleTurnAgentLoop {
  readonly seen: unknown;
  constructor(context: AgentLoopContext) {
    super(context);
    this.seen = context.options;
  }
  override run(input: AgentLoopInput) {
    return super.run(input);
  }
}

describe("agent loop from a user's export", () => {
  it("constructs a class anew for every sample, with the options of its entry", async () => {
    const factory = agentLoopFromExport("mine", MyLoop, { depth: 2 });
    const context = { options: { depth: 1, width: 3 } } as unknown as AgentLoopContext;
    const [one, two] = [(await factory.create(context)) as MyLoop, await factory.create(context)];
    expect(factory.name).to.equal("mine");
    expect(one).to.be.instanceOf(MyLoop).and.not.equal(two);
    expect(one.seen).to.deep.equal({ depth: 2, width: 3 });
  });

  it("takes a factory object", async () => {
    const loop = { run: async () => [] };
    const factory = agentLoopFromExport("mine", { create: () => loop });
    expect(await factory.create({ options: {} } as unknown as AgentLoopContext)).to.equal(loop);
  });

  it("says what is wrong with anything else", () => {
    for (const [exported, what] of [
      [undefined, "not exported"],
      [() => 1, "without a method run"],
      [{}, "an object without create"],
      [3, "a number"],
    ] as const) {
      expect(() => agentLoopFromExport("mine", exported, {}, "./my.ts#Mine in loops.yaml"))
        .to.throw("VERL_AGENT_BAD_LOOP")
        .with.property("message")
        .that.contains(what)
        .and.contains("where: ./my.ts#Mine in loops.yaml");
    }
  });
});

runConformance(
  "single_turn_agent from a class",
  agentLoopConformance({ factory: agentLoopFromExport("mine", MyLoop) }),
  {
    describe,
    it,
  },
);
