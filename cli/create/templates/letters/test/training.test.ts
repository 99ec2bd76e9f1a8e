import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { train } from "verl-ts";

const cwd = fileURLToPath(new URL("..", import.meta.url));

it("learns within 20 steps", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "letters-"));
  try {
    const { validations } = await train({
      cwd,
      files: ["grpo.yaml"],
      overrides: ["trainer.total_training_steps=20", "trainer.save_freq=-1", `trainer.default_local_dir=${folder}`],
      output: new PassThrough().resume(),
    });
    const [before, after] = validations.map(({ metrics }) => metrics["val-aux/next-letter/reward/mean@1"]);
    assert.ok(after > before + 0.2, `the reward went from ${before} to ${after}`);
  } finally {
    await rm(folder, { recursive: true });
  }
});
