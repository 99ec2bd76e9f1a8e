import { mkdir, rm, writeFile } from "node:fs/promises";
import { expect } from "chai";
import fc from "fast-check";
import { CONFIG_FILE, METRICS_FILE, NOTE_FILE, SAMPLES_FILE } from "../../../core/tracking/index.js";
import { makeRun, TestDashboard } from "./support.js";

const FILES = [CONFIG_FILE, METRICS_FILE, NOTE_FILE, SAMPLES_FILE];
const PARTS = [
  "",
  "/metrics?name=x",
  "/metrics?name=x&from=0",
  "/rollouts",
  "/rollouts?order=gap",
  "/rollouts/0",
  "/validation",
  "/config",
  "/plugins",
];

/** Lines that are nearly right: the names that readers look for, over values of any kind. */
const names = fc.constantFrom(
  "step",
  "data",
  "time",
  "input",
  "output",
  "score",
  "trajectory",
  "tokens",
  "mask",
  "log_probs",
  "responses",
  "uid",
  "reward",
  "cwd",
  "version",
  "startedAt",
  "plugins",
  "trainer",
  "rollout_data_dir",
  "__proto__",
  "x",
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, -1, 1e308, "", "NaN", "2026-01-01T00:00:00Z", "val", "/etc"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 6 }),
  ),
}));
const text = fc.oneof(
  fc
    .array(fc.dictionary(names, value, { maxKeys: 8 }), { maxLength: 4 })
    .map((lines) => `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`),
  fc.string({ unit: "binary" }),
  fc.constantFrom("[".repeat(100_000), "a: &a [*a]\n", "\u0000\n", "\ufeff{}\n"),
);

describe("verl dashboard: files of any content", () => {
  it("become data or coded errors, never a failure of the dashboard", async () => {
    await using board = await TestDashboard.start((dir) => makeRun(`${dir}/runs/a`, { steps: 1 }));
    const id = await board.id("a");
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...FILES), text, { minKeys: 1, maxKeys: 4 }), async (files) => {
        await makeRun(board.at("a"), { steps: 1 });
        for (const [file, content] of Object.entries(files)) await writeFile(board.at("a", file), content);
        for (const part of PARTS) {
          const { status, body } = await board.get<{ error?: { code: string } }>(`/api/runs/${id}${part}`);
          const shown = JSON.stringify([part, body]).slice(0, 300);
          if (status !== 200) expect(body.error?.code, shown).to.match(/^VERL_(DASHBOARD|CONFIG|TRACKING)_/);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("are given up after 10,000 lines that cannot be read", async () => {
    await using board = await TestDashboard.start(async (dir) => {
      await makeRun(`${dir}/runs/a`, { steps: 1 });
      for (const file of [METRICS_FILE, SAMPLES_FILE]) await writeFile(`${dir}/runs/a/${file}`, "x\n".repeat(10_001));
    });
    const id = await board.id("a");
    for (const part of ["", "/rollouts"]) {
      expect((await board.get(`/api/runs/${id}${part}`)).body.badLines).to.equal(10_000);
    }
  });

  it("are no folders and no pipes", async () => {
    await using board = await TestDashboard.start(async (dir) => {
      await makeRun(`${dir}/runs/a`, { steps: 1 });
      for (const file of FILES) {
        await rm(`${dir}/runs/a/${file}`);
        await mkdir(`${dir}/runs/a/${file}`);
      }
    });
    const id = await board.id("a");
    for (const part of PARTS.slice(1)) {
      const { status, body } = await board.get<{ error?: { code: string } }>(`/api/runs/${id}${part}`);
      if (status !== 200) expect([part, body.error?.code]).to.deep.equal([part, "VERL_TRACKING_BAD_FILE"]);
    }
  });
});
