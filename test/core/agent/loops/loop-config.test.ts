import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import {
  type AgentLoopContext,
  loadAgentLoops,
  SingleTurnAgentLoop,
  singleTurnAgent,
} from "../../../../core/agent/index.js";

class MyLoop extends SingleTurnAgentLoop {
  readonly options: AgentLoopContext["options"];
  constructor(context: AgentLoopContext) {
    super(context);
    this.options = context.options;
  }
}

describe("list of agent loops", () => {
  let cwd: string;
  before(async () => {
    cwd = await mkdtemp(path.join(tmpdir(), "verl-loops-"));
  });
  after(() => rm(cwd, { recursive: true }));

  async function finder(yaml: string | null, Loop: unknown = MyLoop) {
    if (yaml !== null) await writeFile(path.join(cwd, "loops.yaml"), yaml);
    const loaded: unknown[][] = [];
    const list = await loadAgentLoops({
      configPath: yaml === null ? null : "loops.yaml",
      cwd,
      registered(name) {
        if (name !== singleTurnAgent.name) throw new Error(`unknown agent loop ${name}`);
        return singleTurnAgent;
      },
      async loadUserModule(reference, exportName, namedBy) {
        expect(namedBy).to.equal(path.join(cwd, "loops.yaml"));
        loaded.push([reference, exportName]);
        return Loop;
      },
    });
    return { find: await list.finder(), marks: list.marks, loaded };
  }

  it("adds the user's loops, with their options, to the registered ones", async () => {
    const { find, loaded } = await finder("- {name: mine, _target_: './my.ts#MyLoop', depth: 2}\n");
    expect(loaded).to.deep.equal([["./my.ts", "MyLoop"]]);
    const loop = await find("mine").create({ options: { width: 1 } } as unknown as AgentLoopContext);
    expect((loop as MyLoop).options).to.deep.equal({ width: 1, depth: 2 });
    expect(find("single_turn_agent")).to.equal(singleTurnAgent);
    expect(() => find("other")).to.throw("unknown agent loop other");
  });

  it("replaces a registered loop of the same name", async () => {
    const { find } = await finder("- name: single_turn_agent\n  _target_: pkg/loops#MyLoop\n");
    expect(find("single_turn_agent")).to.not.equal(singleTurnAgent);
  });

  it("is not needed", async () => {
    const { find } = await finder(null);
    expect(find("single_turn_agent")).to.equal(singleTurnAgent);
  });

  describe("marks of a loop", () => {
    class Judge extends MyLoop {
      static readonly scoresItself = true;
    }

    it("are static members of its class", async () => {
      const { marks, find } = await finder("- {name: mine, _target_: './my.ts#Judge'}\n", Judge);
      expect(marks("mine")).to.include({ scoresItself: true }).and.not.have.property("rendersTools");
      expect(find("mine").scoresItself).to.equal(true);
    });

    it("are fields of its entry, which win and are no options", async () => {
      const entry = "{name: mine, _target_: './my.ts#Judge', scores_itself: false, renders_tools: false, depth: 2}";
      const { marks, find } = await finder(`- ${entry}\n`, Judge);
      expect(marks("mine")).to.include({ scoresItself: false, rendersTools: false });
      const loop = await find("mine").create({ options: {} } as unknown as AgentLoopContext);
      expect((loop as MyLoop).options).to.deep.equal({ depth: 2 });
    });

    it("are those of its factory where it is registered", async () => {
      expect((await finder(null)).marks("single_turn_agent").rendersTools).to.equal(false);
    });
  });

  const bad: [string, string][] = [
    ["- {name: mine, _target_: 'a#B', scores_itself: 1}", 'scores_itself of "mine" is 1'],
    ["loops: []", "it is no list"],
    ["- {_target_: 'a#B'}", "entry 1 has no name"],
    ["- {name: mine, _target_: my.module.MyLoop}", "not of the form file#Export"],
    ["- {name: mine}", "is missing"],
    ["- {name: a, _target_: 'a#B'}\n- {name: a, _target_: 'a#B'}", 'the name "a" occurs twice'],
    ["- [", "it cannot be read"],
  ];
  for (const [yaml, message] of bad) {
    it(`says what is wrong: ${message}`, async () => {
      const error = await finder(yaml).catch((e: unknown) => e);
      expect(String(error)).to.contain("VERL_AGENT_BAD_LIST").and.contain(message).and.contain("loops.yaml");
    });
  }
});
