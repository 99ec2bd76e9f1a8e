import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { metricsLine, trajectoryLine } from "../../../core/tracking/index.js";
import { reportTracker } from "../../../plugins/trackers/index.js";
import { fakeRunInfo, fakeTrajectory, runConformance, trackerConformance } from "../../../testing/index.js";

const HOSTILE = `</script><script>alert("x")</script><img src=x onerror='alert(1)'><!--\u2028`;

describe("report tracker", () => {
  let outputDir: string;
  beforeEach(async () => {
    outputDir = await mkdtemp(path.join(tmpdir(), "verl-report-"));
  });
  afterEach(() => rm(outputDir, { recursive: true }));

  const page = () => readFile(path.join(outputDir, "report.html"), "utf8");
  const begin = async (over: Partial<Parameters<typeof fakeRunInfo>[0]> = {}) => {
    const tracker = await reportTracker.create({ env: {} });
    await tracker.start(fakeRunInfo({ outputDir, ...over }));
    return tracker;
  };
  const scripts = (text: string) => [...text.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)];

  it("shows curves, headline numbers, the validation table, samples and the configuration", async () => {
    const tracker = await begin({ config: { trainer: { total_training_steps: 10 }, secret: "***" } });
    await tracker.log({ "val-core/arithmetic/acc/mean@1": 0.25 }, 0);
    for (let step = 1; step <= 10; step++) {
      await tracker.logTrajectories?.([fakeTrajectory({ step })], step);
      await tracker.log(
        {
          "critic/rewards/mean": step / 10,
          "critic/rewards/min": 0,
          "critic/rewards/max": 1,
          "training/sampler_gap/mean": 1e-7,
          "training/sampler_gap/max": 1e-5 * step,
          ...(step === 10 ? { "val-core/arithmetic/acc/mean@1": 0.75 } : {}),
        },
        step,
      );
    }
    await tracker.finish({ exitCode: 0 });
    const text = await page();
    expect(text).to.contain('<span class="state completed">completed</span>').and.contain("step 10 of 10");
    expect(text).to.contain("<span>Reward</span><strong>1</strong><small>from 0.100 (+0.900)</small>");
    expect(text).to.contain("<span>Sampler gap</span><strong>1.0e-4 <em>nats</em></strong>");
    expect(text).to.match(/<th scope="row">arithmetic\/acc\/mean@1<\/th><td>0\.250 <small>step 0<\/small><\/td>/);
    expect(text).to.contain('<td class="up">+0.500</td>');
    expect(text.match(/<svg viewBox/g)?.length).to.equal(7);
    expect(text.match(/class="band"/g)?.length).to.equal(1);
    expect(text).to.contain("&quot;total_training_steps&quot;: 10");
    const samples = JSON.parse(scripts(text)[0][2]) as { step: number; tokens: string[]; logProbs: number[] }[];
    expect(samples.map((s) => s.step)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(samples[0]).to.deep.include({
      tokens: ["4", "2", "."],
      mask: "111",
      logProbs: [-0.1, -2.5, -0.01],
      truth: "42",
    });
    expect(await readdir(outputDir)).to.deep.equal(["report.html"]);
  });

  it("loads nothing, and lets only its own script and style run", async () => {
    const tracker = await begin();
    await tracker.log({ "critic/rewards/mean": 0.5 }, 1);
    await tracker.finish({ exitCode: 0 });
    const text = await page();
    expect(text).to.not.match(/https?:|<link|<iframe|\bsrc=|@import|url\(/);
    const sha = (source: string) => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
    const [, style] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? [];
    const code = scripts(text).filter(([, attributes]) => attributes === "");
    expect(code).to.have.length(1);
    expect(text).to.contain(
      `default-src 'none'; style-src ${sha(style)}; script-src ${sha(code[0][2])}`.replaceAll("'", "&#39;"),
    );
    expect(() => new Function(code[0][2])).to.not.throw();
  });

  it("keeps hostile text from becoming markup, wherever it comes from", async () => {
    const tracker = await begin({ experimentName: HOSTILE, projectName: HOSTILE, config: { [HOSTILE]: HOSTILE } });
    await tracker.logTrajectories?.(
      [
        fakeTrajectory({
          promptText: HOSTILE,
          responseText: HOSTILE,
          tokens: [HOSTILE],
          mask: [1],
          dataSource: HOSTILE,
          groundTruth: HOSTILE,
          extra: { [HOSTILE]: HOSTILE },
        }),
      ],
      1,
    );
    await tracker.log({ [`val-core/${HOSTILE}/acc/mean@1`]: 1, [HOSTILE]: 1 }, 1);
    await tracker.finish({ exitCode: 1, error: new Error(HOSTILE) });
    const text = await page();
    expect(scripts(text)).to.have.length(2);
    expect(text).to.not.contain("<img").and.not.contain("<!--").and.not.contain("alert(1)'>");
    const [sample] = JSON.parse(scripts(text)[0][2]) as { prompt: string }[];
    expect(sample.prompt).to.equal(HOSTILE);
  });

  it("says how a run failed", async () => {
    const tracker = await begin();
    await tracker.log({ x: 1 }, 4);
    await tracker.finish({ exitCode: 1, error: new Error("VERL_REWARD_FAILED: the judge is down") });
    expect(await page())
      .to.contain(">failed</span>")
      .and.contain("the judge is down")
      .and.contain("step 4 of 10");
  });

  it("is there from the start, and says `stopped` for a run that ended early", async () => {
    const tracker = await begin();
    await tracker.begin?.();
    expect(await page()).to.contain(">running</span>");
    await tracker.log({ x: 1 }, 4);
    await tracker.finish({ exitCode: 0 });
    expect(await page()).to.contain(">stopped</span>");
  });

  it("names the step that a failed run was in, which is beyond the last that was logged", async () => {
    const tracker = await begin();
    await tracker.log({ x: 1 }, 1);
    tracker.progress?.({ step: 2, phase: "saving" });
    await tracker.finish({ exitCode: 1, error: new Error("no space left") });
    expect(await page()).to.contain("in step 2 of 10");
  });

  it("shows the earlier part of a resumed run", async () => {
    const lines = [1, 2, 3, 4].map((step) => `${metricsLine(step, { "critic/rewards/mean": step / 10 })}\n`);
    await writeFile(path.join(outputDir, "metrics.jsonl"), lines.join(""));
    const samples = [2, 4].map((step) => `${trajectoryLine(fakeTrajectory({ step }))}\n`);
    await writeFile(path.join(outputDir, "samples.jsonl"), samples.join(""));
    const tracker = await begin({ startStep: 3 });
    await tracker.log({ "critic/rewards/mean": 0.9 }, 4);
    await tracker.finish({ exitCode: 0 });
    const text = await page();
    expect(text).to.contain("from 0.100 (+0.800)");
    expect((JSON.parse(scripts(text)[0][2]) as { step: number }[]).map(({ step }) => step)).to.deep.equal([2]);
  });

  it("does not draw what is not finite, and counts it", async () => {
    const tracker = await begin();
    await tracker.log({ "actor/grad_norm": 1, "actor/only_nan": Number.NaN }, 1);
    await tracker.log({ "actor/grad_norm": Number.POSITIVE_INFINITY }, 2);
    await tracker.finish({ exitCode: 0 });
    expect(await page())
      .to.contain("not finite, not drawn: 1 of the values")
      .and.contain("no finite value")
      .and.not.match(/[dxy]="[^"]*NaN/);
  });

  it("stays small over a long run with long answers", async () => {
    const tracker = await begin({ totalSteps: 4000 });
    const metrics: Record<string, number> = {};
    const long = Array<string>(3000).fill("word ");
    for (let step = 1; step <= 4000; step++) {
      for (let m = 0; m < 20; m++) metrics[`actor/metric_${m}`] = Math.sin(step / 100 + m) + Math.random();
      if (step % 40 === 0) {
        const record = fakeTrajectory({
          step,
          tokens: long,
          mask: long.map(() => 1),
          logProbs: long.map(() => -0.123456),
        });
        await tracker.logTrajectories?.(Array(20).fill(record), step);
      }
      await tracker.log(metrics, step);
    }
    await tracker.finish({ exitCode: 0 });
    expect((await page()).length).to.be.lessThan(2_000_000);
  });
});

runConformance("report tracker", trackerConformance({ factory: reportTracker }), { describe, it });
