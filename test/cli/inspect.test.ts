import { readFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { trajectoryLine } from "../../core/tracking/index.js";
import { fakeTrajectory } from "../../testing/index.js";
import { FAKE_PLUGIN } from "../core/trainer/support/child.js";
import { ToyFolder } from "../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../core/trainer/support/toy-task.js";
import { cli } from "./support.js";

/** A conversation of two turns, between them what a tool said. */
const TWO_TURNS = fakeTrajectory({
  key: "u1_0_0",
  promptText: "weather?",
  responseText: "",
  tokens: ["<tool_call>", '{"name": "look", "arguments": {"at": "sky"}}', "</tool_call>", "grey\n", "rain", "."],
  mask: [1, 1, 1, 0, 1, 1],
  logProbs: [-0.1, -0.1, -0.1, 0, -1, -3],
  trainerLogProbs: [-0.1, -0.1, -0.1, 0, -1.3, -3],
  stopReason: "stop",
  weightVersions: [4, 5],
  score: 0.5,
});

describe("verl inspect", () => {
  let folder: ToyFolder;
  before(async () => {
    folder = await ToyFolder.create();
    const env = { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN };
    const overrides = [
      ...TOY_OVERRIDES,
      "trainer.logger=[jsonl]",
      "trainer.rollout_data_dir=run/rollouts",
      "data.val_files=[val.jsonl]",
    ];
    const { code, stderr } = await cli(["train", ...overrides], { cwd: folder.dir, env });
    expect(code, stderr).to.equal(0);
    const records = [
      TWO_TURNS,
      fakeTrajectory({ key: "u1_1_0", score: 1, stopReason: "length" }),
      fakeTrajectory({
        key: "u2_0_0",
        step: 2,
        score: 0,
        responseText: "\u001b[2J\u202egone",
        tokens: [],
        mask: [],
        logProbs: null,
      }),
    ];
    await folder.write("some.jsonl", records.map((record) => `${trajectoryLine(record)}\n`).join(""));
  });
  after(() => folder[Symbol.asyncDispose]());

  const inspect = (...args: string[]) => cli(["inspect", ...args], { cwd: folder.dir });
  const keys = async (...args: string[]) => {
    const { json } = await inspect(...args, "--json");
    return json<{ trajectories: { key: string }[] }>().trajectories.map(({ key }) => key);
  };

  it("shows every trajectory of a step that was dumped, with what sampler, trainer and reward say", async () => {
    const { code, stdout, stderr } = await inspect("run", "--step", "3", "--split", "train", "--limit", "16");
    expect(code).to.equal(0);
    expect(stdout.match(/_\d_0 +score/g)).to.have.length(16);
    expect(stdout).to.match(/tokens?, stop \w+, weights 2, advantage \S+( to \S+)?, gap mean /);
    expect(stdout).to.match(/reward +acc [\d.]+, pred/);
    expect(stderr).to.match(/^16 (of \d+ )?trajectories, step 3, mean score/);
  });

  it("falls back on the samples that every run keeps", async () => {
    const { json } = await inspect("run", "--split", "val", "--json");
    const { trajectories } = json<{ trajectories: { split: string; step: number; promptIds: number[] }[] }>();
    expect(trajectories).to.not.be.empty;
    expect(trajectories.every(({ split, promptIds }) => split === "val" && promptIds.length > 0)).to.equal(true);
  });

  it("sets apart what was not sampled, marks gaps, and reads tool calls, in plain text", async () => {
    const { stdout } = await inspect("some.jsonl", "--uid", "u1_0");
    expect(stdout).to.include("⟨grey\n           ⟩rain{-0.3}.");
    expect(stdout).to.include('call     look {"at": "sky"} (turn 1)');
    expect(stdout).to.include("5 of 6 tokens sampled, stop stop, weights 4–5");
    expect(stdout).not.to.include("\u001b[");
  });

  it("colours them on a terminal", async () => {
    const { stdout } = await cli(["inspect", "some.jsonl", "--uid", "u1_0"], { cwd: folder.dir, color: true });
    expect(stdout).to.include("\u001b[2m\u001b[4mgrey⏎\u001b[24m\u001b[22m\n");
    expect(stdout).to.include("\u001b[48;5;215mrain");
    expect(stdout).not.to.include("{-0.3}");
  });

  it("marks improbable tokens where that is asked for", async () => {
    const { stdout } = await inspect("some.jsonl", "--uid", "u1_0", "--heat", "probability");
    expect(stdout).to.include("rain{0.4}.{0.05}");
  });

  it("filters and sorts", async () => {
    expect(await keys("some.jsonl", "--sort", "worst")).to.deep.equal(["u2_0_0", "u1_0_0", "u1_1_0"]);
    expect(await keys("some.jsonl", "--sort", "best", "--limit", "1")).to.deep.equal(["u1_1_0"]);
    expect(await keys("some.jsonl", "--sort", "gap", "--limit", "1")).to.deep.equal(["u1_0_0"]);
    expect(await keys("some.jsonl", "--step", "2-4")).to.deep.equal(["u2_0_0"]);
    expect(await keys("some.jsonl", "--stop", "length")).to.deep.equal(["u1_1_0"]);
    expect(await keys("run", "--split", "train", "--step", "last", "--limit", "3")).to.have.length(3);
  });

  it("lists sessions under their prompt", async () => {
    const { stdout } = await inspect("some.jsonl", "--list");
    expect(stdout).to.match(/^u1 {2}step 1, train {2}weather\?\n├─ _0_0 {2}0.500 .*\n└─ _1_0 {2}1 .*\nu2 /);
  });

  it("shows every token with its numbers", async () => {
    const { stdout } = await inspect("some.jsonl", "--uid", "u1_0", "--tokens");
    expect(stdout).to.match(/4 +1 +-1.0000 +-1.3000 +"rain"/);
    expect(stdout).to.match(/3 +0 +"grey/);
  });

  it("does not let the text of a model drive the terminal", async () => {
    const { stdout } = await inspect("some.jsonl", "--uid", "u2");
    expect(stdout).to.include("␛[2J\\u{202e}gone");
  });

  it("writes a page that is complete in itself", async () => {
    const { code, stdout } = await inspect("some.jsonl", "--html", "page.html");
    expect(code).to.equal(0);
    expect(stdout).to.equal(`${folder.at("page.html")}\n`);
    const page = await readFile(folder.at("page.html"), "utf8");
    const [, data] = /id="samples">([\s\S]*?)<\/script>/.exec(page) ?? [];
    const samples = JSON.parse(data) as { gaps: number[] | null; mask: string }[];
    expect(samples).to.have.length(3);
    expect(samples[0]).to.deep.include({ gaps: [0, 0, 0, 0, -0.3, 0], mask: "111011" });
    expect(page).to.not.match(/https?:|\bsrc=/);
  });

  it("shows the text of a run whose tool format belongs to a plugin that is not here, and says so", async () => {
    const file = folder.at("run/config.yaml");
    const saved = await readFile(file, "utf8");
    await writeFile(file, saved.replace(/\bformat: hermes/, "format: fake"));
    try {
      const { code, stdout, stderr } = await inspect("run", "--split", "val");
      expect(code, stderr).to.equal(0);
      expect(stdout).to.include("response");
      expect(stderr).to.include('have the format "fake", which no plugin here brings');
    } finally {
      await writeFile(file, saved);
    }
  });

  it("says what is wrong with a place, a file or an option", async () => {
    await writeFile(folder.at("bad.jsonl"), "no json\n");
    for (const [args, text] of [
      [["nowhere"], "VERL_CLI_NOTHING_TO_INSPECT"],
      [["tokenizer"], "VERL_TRACKING_NO_RUN"],
      [["bad.jsonl"], "bad.jsonl:1"],
      [["some.jsonl", "--sort", "wurst"], "Allowed choices are file, worst"],
      [["some.jsonl", "--step", "x"], "--step 3-5"],
      [["some.jsonl", "--limit", "0"], "a whole number from 1"],
      [["some.jsonl", "--tool-format", "hermess"], "did you mean hermes?"],
    ] as const) {
      const { code, stderr } = await inspect(...args);
      expect(code, stderr).to.equal(2);
      expect(stderr).to.include(text);
    }
  });

  const NOTHING: [args: string[], ...texts: string[]][] = [
    [["--step", "9"], "no trajectory of step 9", "from 1 to 2"],
    [["--uid", "u7"], "whose key begins with u7", "Keys begin with u1, u2.", "inspect some.jsonl --list"],
    [["--source", "games"], "of the source games", "arithmetic"],
    [["--stop", "eos"], "that ended by eos", "stop, length"],
    [["--split", "val"], "of the split val", "There are train."],
    [["--step", "2", "--uid", "u1"], "meets all of --step 2, --uid u1", "--step 2 finds 1, --uid u1 finds 2"],
  ];
  for (const [args, ...texts] of NOTHING) {
    it(`says what there is where nothing matches: ${args.join(" ")}`, async () => {
      for (const more of [[], ["--json"], ["--list"]]) {
        const { code, stdout, stderr } = await inspect("some.jsonl", ...args, ...more);
        expect(code).to.equal(2);
        for (const text of ["VERL_CLI_NOTHING_TO_INSPECT", ...texts]) expect(stdout + stderr).to.include(text);
      }
    });
  }

  it("says that a file of a run that has only begun is empty", async () => {
    await folder.write("empty.jsonl", "");
    const { code, stderr } = await inspect("empty.jsonl");
    expect(code).to.equal(2);
    expect(stderr).to.include("no trajectory yet");
  });

  it("takes a response of more tokens than a call takes arguments", async () => {
    const many = Array<number>(200_000).fill(1);
    const record = fakeTrajectory({ tokens: many.map(() => "x"), mask: many, logProbs: null, advantages: many });
    await folder.write("long.jsonl", `${trajectoryLine(record)}\n`);
    const { code, stdout, stderr } = await inspect("long.jsonl");
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include("advantage 1");
  });
});
