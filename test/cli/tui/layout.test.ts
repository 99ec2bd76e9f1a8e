import { stripVTControlCharacters } from "node:util";
import { expect } from "chai";
import fc from "fast-check";
import { blockChart } from "../../../cli/tui/block-chart.js";
import { renderScreen, renderSummary } from "../../../cli/tui/layout.js";
import { TuiState } from "../../../cli/tui/state.js";
import { fitText, textWidth } from "../../../cli/tui/text-width.js";
import { closingLines } from "../../../cli/tui/tui-tracker.js";
import { fakeTrajectory } from "../../../testing/index.js";

const RUN = { projectName: "verl", experimentName: "maths", totalSteps: 40, startStep: 0, outputDir: "/runs/maths" };

function running(steps: number): TuiState {
  const state = new TuiState(RUN);
  state.log({ "val-core/gsm8k/acc/mean@1": 0.25 }, 0);
  for (let step = 1; step <= steps; step++) {
    state.log(
      {
        "critic/rewards/mean": step / 40,
        "response_length/mean": 100 - step,
        "actor/entropy": 1 / step,
        "training/sampler_gap/max": 1e-6,
        "perf/throughput": 1234,
        "timing_s/step": 2,
        "something/else": 1,
      },
      step,
    );
  }
  state.addSamples([fakeTrajectory({ promptText: "6*7=", responseText: "42.", score: 1 })]);
  state.setProgress({ step: steps + 1, phase: "sampling", done: 16, total: 64 });
  return state;
}

describe("cli/tui/layout", () => {
  it("shows progress, the reward's curve, key metrics, samples and warnings", () => {
    const state = running(10);
    state.note("warn: step 3: 2 trajectories have no score", true);
    const lines = renderScreen(state, { columns: 100, rows: 40 }, false);
    expect(lines[0]).to.match(/^verl\/maths +step 10\/40 ━+╌+ .*, eta /);
    expect(lines[1]).to.match(/^step 11: sampling ━━━━━━╌+ 16\/64$/);
    const text = lines.join("\n");
    expect(text).to.include("reward 0.250 (+0.225 since step 1)");
    expect(text)
      .to.match(/^validation gsm8k +0\.250 /m)
      .and.match(/^length +90 tokens +█/m)
      .and.match(/^speed +1,234 tok\/s/m);
    expect(text).to.match(/^ {5}1 {2}train {2}6\*7= → 42\.$/m);
    expect(text).to.include("\nwarn: step 3: 2 trajectories have no score\n");
    expect(text).not.to.include("something");
  });

  it("leaves out what is least important where the screen is low", () => {
    const state = running(10);
    const has = (rows: number, word: string) =>
      renderScreen(state, { columns: 80, rows }, false).some((line) => line.includes(word));
    expect(has(40, "latest samples")).to.equal(true);
    expect(has(16, "latest samples")).to.equal(false);
    expect(has(12, "since step")).to.equal(false);
    expect(has(10, "entropy")).to.equal(true);
  });

  it("fits any terminal, whatever the texts are", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.constantFrom("日本語のとても長い文章".repeat(5), "\u001b[2J\u202e", "👩‍👩‍👧‍👦 emoji"),
    );
    fc.assert(
      fc.property(
        text,
        text,
        fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 20, max: 200 })),
        fc.integer({ min: 1, max: 60 }),
        (prompt, note, columns, rows) => {
          const state = running(5);
          state.addSamples([fakeTrajectory({ promptText: prompt, responseText: note })]);
          state.note(note, true);
          state.log({ [`val-core/${prompt}/acc/mean@1`]: 0.5 }, 5);
          const lines = renderScreen(state, { columns, rows }, true);
          expect(lines.length).to.be.at.most(rows);
          for (const line of lines) {
            const plain = stripVTControlCharacters(line);
            expect(plain).not.to.match(/\p{Cc}/u);
            expect(textWidth(plain), plain).to.be.at.most(columns);
          }
        },
      ),
    );
  });

  it("says how to end the run on the smallest terminal", () => {
    const at = (columns: number, rows: number) => renderScreen(running(10), { columns, rows }, false);
    expect(at(20, 5).at(-1)).to.equal("Ctrl-C ends the run");
    expect(at(80, 10).at(-1)).to.equal("Ctrl-C finishes this step and saves; twice aborts");
    expect(at(8, 2)).to.deep.equal(["verl/ma…", "Ctrl-C"]);
    // What is left goes to the table.
    expect(at(40, 5)[2]).to.match(/^validation gsm8k/);
    for (let rows = 2; rows < 40; rows++) expect(at(30, rows).at(-1), String(rows)).to.include("Ctrl-C");
  });

  it("shows a training without rewards by its loss, and a run before its first step", () => {
    const state = new TuiState(RUN);
    expect(renderScreen(state, { columns: 80, rows: 24 }, false)[0]).to.include("step 0/40");
    state.log({ "train/loss": 2 }, 1);
    expect(renderSummary(state, 80)[0]).to.equal("loss 2.000");
  });

  it("keeps curves and warnings, and says how the run ended", () => {
    const state = running(10);
    state.note("warn: look here", true);
    state.note("nothing much", false);
    const lines = closingLines(state, 0, 80);
    expect(lines.at(-1)).to.match(/^ended in step 11 of 40 after .*, output in \/runs\/maths$/);
    expect(lines).to.include("warn: look here").and.not.include("nothing much");
    expect(closingLines(running(40), 0, 80).at(-1)).to.match(/^done: 40 steps in /);
  });
});

describe("cli/tui/block-chart", () => {
  const points = (...values: number[]) => values.map((value, step) => ({ step, value }));

  it("draws columns of blocks under the largest value and over the smallest", () => {
    expect(blockChart(points(0, 1, 2, 4), 20, 2)).to.deep.equal(["4.000   ▁█", "    0 ▁▅██"]);
  });

  it("leaves a gap where nothing finite was logged, and says when there is nothing", () => {
    expect(blockChart(points(1, Number.NaN, 1), 20, 1)).to.deep.equal(["1.000 ▅ ▅"]);
    expect(blockChart([], 20, 2)).to.deep.equal(["no value yet", ""]);
  });

  it("has no gap between steps that were logged, at any width", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 20, max: 200 }), (steps, width) => {
        const [line] = blockChart(points(...Array<number>(steps).fill(1)), width, 1);
        expect(line.length).to.be.at.most(width);
        expect(line.slice(6)).to.match(/^▅+$/);
      }),
    );
  });
});

describe("cli/tui/text-width", () => {
  it("counts wide characters twice and marks not at all", () => {
    expect(["abc", "日本", "e\u0301", "🎉"].map(textWidth)).to.deep.equal([3, 4, 1, 2]);
    expect(fitText("日本語", 5)).to.equal("日本…");
    expect(fitText("日本語", 4)).to.equal("日…");
    expect(fitText("ab\ncd", 8, true)).to.equal("ab cd   ");
  });
});
