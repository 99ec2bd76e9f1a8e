import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { solidPng } from "../../../testing/index.js";
import { completion, HttpServer } from "../../core/reward/servers/http-server.js";
import { FAKE_PLUGIN } from "../../core/trainer/support/child.js";
import {
  asking,
  COLOURS,
  LETTERS,
  PICTURE_OVERRIDES,
  pictures,
  rollout,
  showing,
  VOCAB,
  WITH_TOOL,
} from "../../core/trainer/support/pictures.js";
import type { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES, writeToyRewardModel } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

const TESTING = new URL("../../../testing/index.js", import.meta.url).href;
const PLUGIN = new URL("../../../core/plugin.js", import.meta.url).href;

/** A server whose weights say the colour's letter and stop. */
const KNOWING = `import { composeServerAdapter } from ${JSON.stringify(new URL("../../../core/rollout/index.js", import.meta.url).href)};
import { createFakeReplica } from ${JSON.stringify(TESTING)};
import { definePlugin } from ${JSON.stringify(PLUGIN)};
const V = ${VOCAB};
const table = new Float32Array((V + 3) * V);
const letter = (c) => 2 + ${JSON.stringify(LETTERS)}.indexOf(c);
[..."rgb"].forEach((c, i) => { table[(V + i) * V + letter(c)] = 50; table[letter(c) * V + 1] = 200; });
export default definePlugin({
  name: "knowing", apiVersion: "^1.0.0", provides: ["rollout", "serverAdapter"],
  register(host) {
    host.rollouts.register({ name: "knowing", createReplica: (o) => createFakeReplica({ ...o, pictures: true, vocabSize: V, table }) });
    host.serverAdapters.register({ name: "knowing", createAdapter: ({ replica }) => composeServerAdapter(replica) });
  },
});`;

const OWN_MANAGER = (prepared: string) => `export class Own {
  static create({ llmClient, tokenizer, seed }) {
    const run = async (prompt, signal) => {
      const { promptIds, media } = ${prepared};
      for (let session = 0; session < prompt.sessions; session++) {
        const request = { requestId: prompt.uid + "_" + session, promptIds, media, sampling: prompt.sampling, seed };
        const answer = await llmClient.generate(request, { signal });
        prompt.deliver(session, {
          promptIds, multiModalData: media, responseIds: answer.tokenIds, responseMask: answer.tokenIds.map(() => 1),
          responseLogProbs: answer.logProbs, numTurns: 2, stopReason: answer.stopReason,
          minWeightVersion: answer.minWeightVersion, maxWeightVersion: answer.maxWeightVersion,
          metrics: { generateSequences: 0, toolCalls: 0, computeScore: 0, numPreempted: -1 }, extraFields: {},
        });
      }
    };
    return { generateSequences: ({ prompts, signal }) => Promise.all(prompts.map((prompt) => run(prompt, signal))) };
  }
}`;

const SHORT = ["trainer.total_training_steps=2", "trainer.logger=[jsonl]", `${rollout}.n=2`];

describe("commands on media", function () {
  this.timeout(30_000);
  let folder: ToyFolder;
  const verl = (...args: string[]) =>
    cli(args, { cwd: folder.dir, env: { VERL_USE_EXTERNAL_MODULES: `${FAKE_PLUGIN},${folder.at("knowing.mjs")}` } });
  const lines = async (...file: string[]) =>
    (await folder.read(...file))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  afterEach(() => folder[Symbol.asyncDispose]());

  for (const [name, rows, overrides] of [
    ["of the data", showing, PICTURE_OVERRIDES],
    ["that a tool returned", asking, WITH_TOOL],
  ] as const) {
    describe(`images ${name}`, () => {
      beforeEach(async () => {
        folder = await pictures(rows);
        await folder.write("knowing.mjs", KNOWING);
      });

      it("lie beside the samples of debug rollout, where inspect finds them and debug train trains on them", async () => {
        const args = [...TOY_OVERRIDES, ...overrides, `${rollout}.n=16`];
        const { code, stderr } = await verl("debug", "rollout", ...args, "--steps", "2", "--output", "sampled");
        expect(code, stderr).to.equal(0);
        const contents = await Promise.all(
          (await readdir(folder.at("sampled", "media"))).map((file) => readFile(folder.at("sampled", "media", file))),
        );
        const red = await readFile(folder.at("r.png"));
        expect(contents.filter((content) => content.equals(red))).to.have.length(1);

        const shown = await verl("inspect", "sampled/1.jsonl", "--limit", "1000");
        expect(shown.code, shown.stderr).to.equal(0);
        expect(shown.stdout).to.match(
          /^ {2}image +\[image 16x8, \d+ B, [0-9a-f]{8}\] \S+\/sampled\/media\/[0-9a-f]{64}\.png$/m,
        );
        const { json } = await verl("inspect", "sampled/1.jsonl", "--json", "--limit", "1000");
        const { trajectories } = json<{ trajectories: { media?: { file: string | null }[] }[] }>();
        const files = trajectories.flatMap(({ media = [] }) => media.map(({ file }) => file));
        expect(files).to.not.be.empty.and.not.include(null);

        await verl("inspect", "sampled/1.jsonl", "--html", "page.html", "--limit", "1000");
        const page = await folder.read("page.html");
        expect(page.split(red.toString("base64"))).to.have.length(2);
        expect(page).to.contain("img-src data:");

        const trained = await verl("debug", "train", ...args, "--data", "sampled");
        expect(trained.code, trained.stderr).to.equal(0);
        expect(trained.stdout).to.match(/^step 2 {2}48 trajectories/m);
      });

      it("are seen again by replay, token for token", async () => {
        const run = [
          ...TOY_OVERRIDES,
          ...overrides,
          ...SHORT,
          "trainer.save_freq=1",
          "trainer.rollout_data_dir=run/rollouts",
        ];
        const trained = await verl("train", ...run);
        expect(trained.code, trained.stderr).to.equal(0);
        const { code, stdout, stderr } = await verl("replay", "run", "--step", "2", "--split", "train");
        expect(code, stdout + stderr).to.equal(0);
        expect(stdout)
          .to.match(/same +prompt/)
          .and.match(/same +trainer's log p/)
          .and.not.include("different");
      });
    });
  }

  it("replay says which image is another one now, though its tokens are the same", async () => {
    folder = await pictures(showing);
    await folder.write("knowing.mjs", KNOWING);
    const run = [...TOY_OVERRIDES, ...PICTURE_OVERRIDES, ...SHORT, "trainer.rollout_data_dir=run/rollouts"];
    expect((await verl("train", ...run)).code).to.equal(0);
    for (const colour of Object.keys(COLOURS)) await writeFile(folder.at(`${colour}.png`), solidPng(16, 8, [7, 7, 7]));
    const { code, stdout } = await verl("replay", "run", "--step", "1", "--split", "train");
    expect(code).to.equal(1);
    expect(stdout).to.match(/same +prompt/);
    const label = "\\[image 16x8, \\d+ B, [0-9a-f]{8}\\] at token 1";
    expect(stdout).to.match(new RegExp(`different +media +${label} recorded, ${label} now`));
  });

  it("eval shows the images of the validation to the model, and scores what it says", async () => {
    folder = await pictures(showing);
    await folder.write("knowing.mjs", KNOWING);
    await mkdir(folder.at("model"));
    await writeFile(folder.at("model", "config.json"), JSON.stringify({ model_type: "fake_pictures" }));
    const { code, stderr, json } = await verl(
      ...["eval", ...TOY_OVERRIDES, ...PICTURE_OVERRIDES, "data.val_files=[val.jsonl]", `${rollout}.name=knowing`],
      ...["actor_rollout_ref.model.path=model", "actor_rollout_ref.model.config=null", "--json"],
    );
    expect(code, stderr).to.equal(0);
    expect(json<{ metrics: Record<string, number> }>().metrics["val-core/toy/acc/mean@1"]).to.equal(1);
  });

  describe("an agent-loop manager of one's own", () => {
    const reference = `${rollout}.agent.agent_loop_manager_class`;
    const train = async (manager: string, dir: string) => {
      const overrides = [...TOY_OVERRIDES, ...PICTURE_OVERRIDES, ...SHORT, `${reference}='${manager}'`];
      const { code, stderr } = await verl("train", ...overrides, `trainer.default_local_dir=${dir}`);
      const metrics = code === 0 ? await folder.read(dir, "metrics.jsonl") : "";
      const of = (name: string) =>
        [...metrics.matchAll(new RegExp(`"${name}":([^,}]+)`, "g"))].map(([, value]) => value);
      return { code, stderr, scores: of("critic/score/mean"), norms: of("actor/grad_norm") };
    };
    beforeEach(async () => {
      folder = await pictures(showing);
      await folder.write("knowing.mjs", KNOWING);
    });

    it("trains on images as the built-in one does", async () => {
      await folder.write("own.mjs", OWN_MANAGER("await prompt.preparePrompt()"));
      const own = await train("./own.mjs#Own", "own");
      expect(own.code, own.stderr).to.equal(0);
      expect(own.norms).to.have.length(2);
      expect(own).to.deep.equal({ ...(await train("default", "run")), stderr: own.stderr });
    });

    it("that drops the images ends the run with the row and what to do", async () => {
      const blind = "{ promptIds: tokenizer.encodeChat(prompt.messages, { addGenerationPrompt: true }), media: [] }";
      await folder.write("own.mjs", OWN_MANAGER(blind));
      const { code, stderr } = await train("./own.mjs#Own", "own");
      expect(code).to.not.equal(0);
      expect(stderr)
        .to.match(/train\.jsonl:\d/)
        .and.contain("placeholder of a medium")
        .and.contain("preparePrompt");
    });
  });

  describe("rewards", () => {
    beforeEach(async () => {
      folder = await pictures(showing);
      await folder.write("knowing.mjs", KNOWING);
    });
    const colourOf = async (url: string): Promise<string | undefined> => {
      for (const colour of Object.keys(COLOURS)) {
        const png = await readFile(folder.at(`${colour}.png`));
        if (url === `data:image/png;base64,${png.toString("base64")}`) return colour;
      }
      return undefined;
    };

    it("show a judge the images of each trajectory", async () => {
      await using judge = await HttpServer.start(async ({ body }) => {
        if (body === null) return { body: { data: [{ id: "judge" }] } };
        const [{ image_url: image }, { text }] = body.messages[0].content;
        return completion(`${await colourOf(image.url)} ${text.endsWith(await colourOf(image.url)) ? 1 : 0}`);
      });
      await folder.write(
        "judge.mjs",
        `export const compute_score = async ({ solution, groundTruth, media, judge, signal }) => {
          const messages = [{ role: "user", content: solution }];
          const { text } = await judge.chat({ messages }, { signal, media });
          const [colour, score] = text.split(" ");
          if (colour !== groundTruth) throw new Error("the judge saw " + colour);
          return Number(score);
        };`,
      );
      const { code, stderr } = await verl(
        ...["train", ...TOY_OVERRIDES, ...PICTURE_OVERRIDES, ...SHORT, "reward.custom_reward_function.path=judge.mjs"],
        ...["reward.reward_model.enable=true", `reward.reward_model.addresses=[${judge.address}]`],
        "reward.reward_model.model_path=judge",
      );
      expect(code, stderr).to.equal(0);
      expect(judge.count("/v1/chat/completions")).to.be.at.least(3);
    });

    it("that a reward model is to give to pictures are refused before anything is sampled, with the row", async () => {
      await writeToyRewardModel(folder.at("scorer"));
      const { code, stderr } = await verl(
        ...["train", ...TOY_OVERRIDES, ...PICTURE_OVERRIDES, ...SHORT, "reward.custom_reward_function.path=null"],
        ...["reward.reward_model.enable=true", "reward.reward_model.model_path=scorer", "data.max_response_length=8"],
      );
      expect(code).to.not.equal(0);
      expect(stderr, stderr)
        .to.contain("VERL_REWARD_MODEL_UNFIT")
        .and.contain("train.jsonl:1")
        .and.contain("texts alone");
    });

    for (const [weight, refused] of [
      [1, true],
      [0, false],
    ] as const) {
      it(`of several parts are ${refused ? "refused so where the row's rule weighs" : "given where no rule that fits weighs"} the reward model`, async () => {
        await writeToyRewardModel(folder.at("scorer"));
        const { code, stderr } = await verl(
          ...["train", ...TOY_OVERRIDES, ...PICTURE_OVERRIDES, ...SHORT, "data.max_response_length=8"],
          ...[
            "reward.reward_model.enable=true",
            "reward.reward_model.model_path=scorer",
            "reward.reward_manager.name=hybrid",
          ],
          `reward.hybrid=[{data_source: toy, function: 1, model: ${weight}}, {data_source: "*", function: 1, model: 1}]`,
        );
        expect(code === 0, stderr).to.equal(!refused);
        if (refused) expect(stderr).to.contain("VERL_REWARD_MODEL_UNFIT").and.contain("train.jsonl:1");
      });
    }

    describe("of responses that are there already", () => {
      const LOOKING = `export const compute_score = async ({ solution, media }) => {
        const [image] = media;
        return { score: Number(solution === String((await image.bytes()).length)), place: image.place };
      };`;
      const evaluate = () =>
        verl("eval", "--responses", "answers.jsonl", "reward.custom_reward_function.path=looking.mjs", "--json");
      const answers = async (images: (colour: string) => unknown) => {
        const rows = Object.keys(COLOURS).map(async (colour) => {
          const { length } = await readFile(folder.at(`${colour}.png`));
          const prompt = [{ role: "user", content: "<image>t" }];
          return JSON.stringify({ prompt, images: images(colour), data_source: "toy", responses: [String(length)] });
        });
        await folder.write("answers.jsonl", (await Promise.all(rows)).join("\n"));
        await folder.write("looking.mjs", LOOKING);
      };

      it("get the images of their rows", async () => {
        await answers((colour) => [`${colour}.png`]);
        const { code, json, stderr } = await evaluate();
        expect(code, stderr).to.equal(0);
        expect(json<{ metrics: object }>().metrics).to.deep.equal({ "test_score/toy": 1 });
      });

      it("are refused where an image is missing, with row and file", async () => {
        await answers((colour) => [colour === "g" ? "nowhere.png" : `${colour}.png`]);
        const { code, stdout } = await evaluate();
        expect(code).to.not.equal(0);
        expect(stdout).to.contain("VERL_DATA_BAD_ROW").and.contain("answers.jsonl:2").and.contain("nowhere.png");
      });
    });
  });

  describe("generate", () => {
    const MODEL = [
      "actor_rollout_ref.model.path=model",
      "actor_rollout_ref.model.tokenizer_path=tokenizer",
      `${rollout}.name=knowing`,
      `${rollout}.temperature=0`,
      "data.max_prompt_length=8",
      "data.max_response_length=4",
    ];
    beforeEach(async () => {
      folder = await pictures(showing);
      await folder.write("knowing.mjs", KNOWING);
      await mkdir(folder.at("model"));
      await writeFile(folder.at("model", "config.json"), JSON.stringify({ model_type: "fake_pictures" }));
    });

    it("shows the images of the data to the model, and keeps them beside its answers, which name their files", async () => {
      const args = ["generate", ...MODEL, "data.train_files=[train.jsonl]", "--output", "out/answers.jsonl"];
      await mkdir(folder.at("out"));
      const { code, stderr } = await verl(...args);
      expect(code, stderr).to.equal(0);
      const answers = await lines("out", "answers.jsonl");
      expect(answers.map(({ responses }) => responses)).to.deep.equal(Object.keys(COLOURS).map((colour) => [colour]));
      for (const [i, colour] of Object.keys(COLOURS).entries()) {
        const [{ content }] = answers[i].prompt as { content: { image?: string }[] }[];
        const { image = "" } = content[0];
        expect(image).to.match(/^media\/[0-9a-f]{64}\.png$/);
        expect((await readFile(folder.at("out", image))).equals(await readFile(folder.at(`${colour}.png`)))).to.equal(
          true,
        );
      }
      const { stdout } = await verl("inspect", "out/answers.jsonl");
      expect(stdout).to.match(/user: \[image media\/[0-9a-f]{64}\.png\]\n +t/);
    });

    it("takes its own answers as data", async () => {
      const first = await verl("generate", ...MODEL, "data.train_files=[train.jsonl]", "--output", "answers.jsonl");
      expect(first.code, first.stderr).to.equal(0);
      const { code, stdout, stderr } = await verl("generate", ...MODEL, "data.train_files=[answers.jsonl]");
      expect(code, stderr).to.equal(0);
      const answers = stdout
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { responses: string[] }).responses);
      expect(answers).to.deep.equal(Object.keys(COLOURS).map((colour) => [colour]));
    });
  });
});
