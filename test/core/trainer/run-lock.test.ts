import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { RunLock } from "../../../core/trainer/run-lock.js";

describe("core/trainer/run-lock", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "verl-lock-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("refuses a second run in the same folder and names the first", async () => {
    const lock = await RunLock.acquire(folder);
    const error = await RunLock.acquire(folder).catch((e: unknown) => e as { code: string; what: string });
    expect(error).to.include({ code: "VERL_TRAINER_FOLDER_IN_USE" });
    expect((error as { what: string }).what).to.contain(`process ${process.pid}`);
    await lock.release();
  });

  it("is free again after release", async () => {
    await (await RunLock.acquire(folder)).release();
    await (await RunLock.acquire(folder)).release();
    expect(existsSync(path.join(folder, "run.lock"))).to.equal(false);
  });

  it("takes over from a process that is gone", async () => {
    const gone = spawnSync(process.execPath, ["-e", "0"]).pid;
    await writeFile(path.join(folder, "run.lock"), JSON.stringify({ pid: gone, host: hostname() }));
    await (await RunLock.acquire(folder)).release();
  });
});
