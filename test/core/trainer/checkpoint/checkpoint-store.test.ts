import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { CheckpointStore, TRACKER_FILE } from "../../../../core/trainer/checkpoint/checkpoint-store.js";

describe("core/trainer/checkpoint/checkpoint-store", () => {
  let root: string;
  const store = (maxToKeep: number | null = null, runId = "a") => new CheckpointStore(root, { maxToKeep, runId });
  const write = (text: string) => async (dir: string) => {
    await mkdir(path.join(dir, "actor"));
    await writeFile(path.join(dir, "actor", "weights"), text);
  };

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), "verl-checkpoints-"));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it("names the newest step as plain text once the checkpoint is complete", async () => {
    await store().save(7, write("x"));
    expect(await readFile(path.join(root, TRACKER_FILE), "utf8")).to.equal("7");
    expect(await store().latest()).to.deep.equal({ step: 7, dir: path.join(root, "global_step_7") });
  });

  it("leaves nothing behind and keeps earlier checkpoints when writing fails", async () => {
    await store(1).save(1, write("x"));
    const error = await store(1)
      .save(2, async (dir) => {
        await write("y")(dir);
        throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      })
      .catch((e: unknown) => e as { code: string; why: string });
    expect(error).to.include({ code: "VERL_TRAINER_CHECKPOINT_WRITE", why: "no space left on device" });
    expect((await readdir(root)).sort()).to.deep.equal(["global_step_1", TRACKER_FILE]);
    expect((await store().latest())?.step).to.equal(1);
  });

  it("T31: a folder without its marker is not a checkpoint", async () => {
    await store().save(1, write("x"));
    await write("half")(
      path.join(
        await mkdir(path.join(root, "global_step_2"), { recursive: true }).then(() => path.join(root, "global_step_2")),
      ),
    );
    await writeFile(path.join(root, TRACKER_FILE), "2");
    expect((await store().latest())?.step).to.equal(1);
  });

  it("T31: a file that was cut short makes the checkpoint incomplete", async () => {
    await store().save(1, write("long enough"));
    await store().save(2, write("long enough"));
    await truncate(path.join(root, "global_step_2", "actor", "weights"), 3);
    expect((await store().latest())?.step).to.equal(1);
  });

  it("tells a flipped bit, and of the checkpoints that come before the newest whole one why they are none", async () => {
    for (const step of [1, 2, 3]) await store().save(step, write("long enough"));
    await writeFile(path.join(root, "global_step_3", "actor", "weights"), "long enougi");
    await truncate(path.join(root, "global_step_2", "actor", "weights"), 3);
    const { saved, damaged } = await store().find("contents");
    expect(saved?.step).to.equal(1);
    expect(damaged).to.deep.equal([
      {
        dir: path.join(root, "global_step_3"),
        why: "actor/weights holds other bytes than were written (their checksum differs)",
      },
      { dir: path.join(root, "global_step_2"), why: "actor/weights has 3 bytes where 11 were written" },
    ]);
  });

  it("takes checkpoints of earlier versions, which hold no checksums", async () => {
    await store().save(1, write("x"));
    const file = path.join(root, "global_step_1", "complete.json");
    const { sha256, ...marker } = JSON.parse(await readFile(file, "utf8")) as { sha256: Record<string, string> };
    expect(Object.keys(sha256)).to.deep.equal(["actor/weights"]);
    await writeFile(file, JSON.stringify(marker));
    expect((await store().find("contents")).saved?.step).to.equal(1);
  });

  it("T31: keep=1 removes the old checkpoint only after the new one is in place", async () => {
    const one = store(1);
    await one.save(1, write("x"));
    await one.save(2, async (dir) => {
      expect(existsSync(path.join(root, "global_step_1"))).to.equal(true);
      await write("y")(dir);
    });
    expect(await one.steps()).to.deep.equal([2]);
  });

  it("removes only checkpoints of the same run", async () => {
    await store(1, "other").save(1, write("x"));
    await store(1, "mine").save(2, write("y"));
    await store(1, "mine").save(3, write("z"));
    expect(await store().steps()).to.deep.equal([1, 3]);
  });

  it("replaces a checkpoint of the same step", async () => {
    await store().save(4, write("old"));
    await store().save(4, write("new"));
    expect(await readFile(path.join(root, "global_step_4", "actor", "weights"), "utf8")).to.equal("new");
    expect((await readdir(root)).sort()).to.deep.equal(["global_step_4", TRACKER_FILE]);
  });

  it("clears what a killed process left half-written", async () => {
    await mkdir(path.join(root, ".tmp-global_step_9-123"), { recursive: true });
    for (const name of ["samples.jsonl.tmp-a2bbe2ca21d2", "samples.jsonl"]) await writeFile(path.join(root, name), "");
    await store().clean();
    expect(await readdir(root)).to.deep.equal(["samples.jsonl"]);
  });

  it("names the tracker file when it holds no number", async () => {
    await writeFile(path.join(root, TRACKER_FILE), "seven");
    const error = await store()
      .latest()
      .catch((e: unknown) => e as { code: string; where: string });
    expect(error).to.include({ code: "VERL_TRAINER_CHECKPOINT_BAD", where: path.join(root, TRACKER_FILE) });
  });

  it("takes a checkpoint by path, with or without a trailing slash", async () => {
    await store().save(5, write("x"));
    expect((await store().at(`${path.join(root, "global_step_5")}/`)).step).to.equal(5);
    const error = await store()
      .at(path.join(root, "elsewhere"))
      .catch((e: unknown) => e as { code: string });
    expect(error).to.include({ code: "VERL_TRAINER_CHECKPOINT_BAD" });
  });
});
