import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Trainer } from "../../../../core/trainer/index.js";
import { verl } from "../support/child.js";
import { ECHO, LETTER_CALLS, writeLetters } from "../support/letter-calls.js";
import { ToyFolder, type ToyRunOptions } from "../support/toy-run.js";
import { TOY_OVERRIDES } from "../support/toy-task.js";

const CORE = JSON.stringify(new URL("../../../../core/plugin.js", import.meta.url).href);
const AGENT = JSON.stringify(new URL("../../../../core/agent/index.js", import.meta.url).href);

/** A tool with a state that it must give back, which takes a while; it does as `config.mode` says, and writes down what is done. */
const ROOM = `
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { BaseTool } from ${CORE};
export class Room extends BaseTool {
  note(event, id) { appendFileSync(this.config.log, event + " " + id + "\\n"); }
  async create(id, kwargs, session) {
    this.note("create", id);
    if (this.config.mode === "slow to create") await sleep(300);
    this.note("created", id);
  }
  async execute(id, args, signal, session) {
    const guests = session.state.get("guests") ?? [];
    session.state.set("guests", [...guests, id]);
    if (guests.some((guest) => !guest.startsWith(session.trajectoryId + "_"))) this.note("mixed", id);
    this.note("execute", id);
    if (this.config.mode === "throw") throw new Error("no room");
    if (this.config.mode.startsWith("hang")) await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
    if (this.config.mode === "slow") await sleep(100);
    return { text: "k", reward: 1 };
  }
  async release(id) {
    await sleep(this.config.mode === "hang, and slow to leave" ? 1500 : 50);
    this.note("release", id);
    if (this.config.mode === "throw") throw new Error("still occupied");
  }
}`;

const rollout = "actor_rollout_ref.rollout";
const OVERRIDES = [
  ...LETTER_CALLS,
  `${rollout}.multi_turn.tool_config_path=tools.yaml`,
  `${rollout}.agent.on_session_error=keep_group`,
  `${rollout}.agent.num_workers=1`,
  "trainer.total_training_steps=1",
];
const IN_THREADS = [
  `${rollout}.agent.agent_loop_config_path=loops.yaml`,
  `${rollout}.agent.default_agent_loop=threaded`,
];

describe("an instance of a tool is released once, after it was made", function () {
  this.timeout(120_000);
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
    await writeLetters(folder, ECHO);
    await folder.write("room.mjs", ROOM);
    await folder.write("loops.mjs", `export { ToolAgentLoop } from ${AGENT};`);
    await folder.write("loops.yaml", '- { name: threaded, _target_: "./loops.mjs#ToolAgentLoop", thread: true }\n');
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const tools = (mode: string) =>
    folder.write(
      "tools.yaml",
      `tools:
  - class_name: ./room.mjs#Room
    config: { type: native, mode: ${mode}, log: ${folder.at("events.txt")} }
    tool_schema: { type: function, function: { name: echo, parameters: { type: object } } }
`,
    );
  const events = async () => (await folder.read("events.txt")).trim().split("\n");
  /** What was made, and that each was released once, and nothing since it was. */
  async function released(): Promise<string[]> {
    const all = await events();
    expect(all.filter((event) => event.startsWith("mixed"))).to.deep.equal([]);
    const made = all.flatMap((event) => (event.startsWith("created ") ? [event.slice("created ".length)] : []));
    expect(made).to.not.deep.equal([]);
    expect(new Set(made).size).to.equal(made.length);
    for (const id of made) {
      const own = all.flatMap((event, i) => (event.endsWith(` ${id}`) ? [{ what: event.split(" ")[0], i }] : []));
      expect(
        own.filter(({ what }) => what === "release"),
        id,
      ).to.have.length(1);
      expect(own.at(-1)?.what, id).to.equal("release");
    }
    return made;
  }
  async function called(): Promise<void> {
    for (
      const begun = performance.now();
      !(existsSync(folder.at("events.txt")) && (await events()).some((event) => event.startsWith("execute")));
    ) {
      if (performance.now() - begun > 60_000) throw new Error("no call began");
      await sleep(5);
    }
  }
  /** Stops the trainer so many times once a call is under way. */
  const stopped = (times: number): Pick<ToyRunOptions, "onTrainer"> => ({
    onTrainer(trainer: Pick<Trainer, "stop">) {
      void called().then(() => {
        for (let i = 0; i < times; i++) trainer.stop("SIGINT");
      });
    },
  });

  it("when its call has ended, well or not", async () => {
    await tools("well");
    const { metrics } = await folder.train({ overrides: OVERRIDES });
    expect(metrics["tool/calls"]).to.be.above(0);
    await released();
    await folder.remove("events.txt");
    await tools("throw");
    const { log } = await folder.train({ overrides: [...OVERRIDES, "trainer.default_local_dir=run2"] });
    await released();
    expect(log.join("\n")).to.match(/the tool "echo" could not be released: .*still occupied/);
  });

  it("when the run ends by an error", async () => {
    await tools("hang");
    await folder.write("reward.mjs", "export const compute_score = () => { throw new Error('no judge'); };");
    const { error } = await folder.fail({ overrides: OVERRIDES });
    expect(error.code).to.equal("VERL_REWARD_FAILED");
    await released();
  });

  for (const [where, over] of [
    ["", []],
    [" (loops in threads)", IN_THREADS],
  ] as const) {
    const train = (...more: readonly string[]) => folder.train({ overrides: [...OVERRIDES, ...over, ...more] });

    it(`when its call, or its session, has not ended in time${where}`, async () => {
      await tools("hang");
      await train(`${rollout}.multi_turn.tool_deadline_s=0.05`);
      await released();
      await folder.remove("events.txt");
      const { log } = await train(`${rollout}.agent.session_deadline_s=3`, "trainer.default_local_dir=run2");
      await released();
      const lines = log.join("\n");
      expect(lines).to.contain("took longer than 3 s").and.not.contain("could not be");
    });

    it(`when it was not made in time${where}`, async () => {
      await tools("slow to create");
      await train(`${rollout}.multi_turn.tool_deadline_s=0.2`);
      expect((await events()).filter((event) => event.startsWith("execute"))).to.deep.equal([]);
      await released();
    });

    it(`when the run is stopped, once or twice${where}`, async () => {
      await tools("slow");
      await folder.train({ overrides: [...OVERRIDES, ...over, "trainer.total_training_steps=1000"], ...stopped(1) });
      await released();
      await folder.remove("events.txt");
      await tools("hang");
      const again = ["trainer.default_local_dir=run2", ...over];
      const { error, log } = await folder.fail({ overrides: [...OVERRIDES, ...again], ...stopped(2) });
      expect(error.code).to.equal("VERL_TRAINER_ABORTED");
      await released();
      expect(log.join("\n")).to.not.contain("could not be");
    });
  }

  it("before the process ends that is interrupted twice", async () => {
    await tools("'hang, and slow to leave'");
    let child: ChildProcess | null = null;
    let stderr = "";
    const ended = verl(["train", ...TOY_OVERRIDES, ...OVERRIDES, "trainer.logger=[]"], {
      cwd: folder.dir,
      onStarted: (started) => {
        child = started;
      },
      onOutput: (output) => {
        ({ stderr } = output);
      },
    });
    const interrupt = () => (child as ChildProcess | null)?.kill("SIGINT");
    await called();
    interrupt();
    while (!stderr.includes("once more")) await sleep(5);
    interrupt();
    const { code } = await ended;
    expect(code, stderr).to.equal(130);
    await released();
  });
});
