import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
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

  it("says which folder cannot be used, and why", async () => {
    const file = path.join(folder, "taken");
    await writeFile(file, "");
    for (const unusable of [file, path.join(file, "below")]) {
      const error = await RunLock.acquire(unusable).catch((e: unknown) => e as { code: string; where: string });
      expect(error).to.include({ code: "VERL_TRAINER_FOLDER_UNUSABLE", where: unusable });
    }
  });

  it("is free again after release", async () => {
    await (await RunLock.acquire(folder)).release();
    await (await RunLock.acquire(folder)).release();
    expect(existsSync(path.join(folder, "run.lock"))).to.equal(false);
  });

  it("takes over from a process whose number another one has now", async () => {
    await writeFile(
      path.join(folder, "run.lock"),
      JSON.stringify({ pid: process.ppid, host: hostname(), started: "somewhen" }),
    );
    if (process.platform === "linux") await (await RunLock.acquire(folder)).release();
  });

  it("believes the lock of another machine as long as it is fresh", async () => {
    const file = path.join(folder, "run.lock");
    await writeFile(file, JSON.stringify({ pid: 1, host: "elsewhere", started: "1" }));
    const error = await RunLock.acquire(folder).catch((e: unknown) => e as { code: string; why: string });
    expect(error).to.include({ code: "VERL_TRAINER_FOLDER_IN_USE" });
    await utimes(file, new Date(0), new Date(0));
    await (await RunLock.acquire(folder)).release();
  });

  it("clears away what killed processes left beside it", async () => {
    await writeFile(path.join(folder, "run.lock.1234"), "{}");
    const lock = await RunLock.acquire(folder);
    expect(await readdir(folder)).to.deep.equal(["run.lock"]);
    await lock.release();
  });

  it("takes over a lock that cannot be read", async () => {
    await writeFile(path.join(folder, "run.lock"), "");
    await (await RunLock.acquire(folder)).release();
  });

  it("goes to one of many who ask at once, also over a stale lock", async () => {
    for (const stale of [false, true]) {
      if (stale) await writeFile(path.join(folder, "run.lock"), JSON.stringify({ pid: 999_999_999, host: hostname() }));
      const asked = await Promise.allSettled(Array.from({ length: 8 }, () => RunLock.acquire(folder)));
      const given = asked.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      expect(given).to.have.length(1);
      await given[0].release();
      expect(await readdir(folder)).to.deep.equal([]);
    }
  });

  it("takes over from a process that is gone", async () => {
    const gone = spawnSync(process.execPath, ["-e", "0"]).pid;
    await writeFile(path.join(folder, "run.lock"), JSON.stringify({ pid: gone, host: hostname() }));
    await (await RunLock.acquire(folder)).release();
  });
});
