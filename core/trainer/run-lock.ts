import { mkdir, open, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { trainerErrors } from "./errors.js";

const LOCK_FILE = "run.lock";

/** Holds a run folder for one process. A lock left by a process that is gone is taken over. */
export class RunLock {
  private constructor(private readonly file: string) {}

  static async acquire(folder: string): Promise<RunLock> {
    await mkdir(folder, { recursive: true });
    const file = path.join(folder, LOCK_FILE);
    for (let attempt = 0; ; attempt++) {
      try {
        const handle = await open(file, "wx");
        await handle.writeFile(JSON.stringify({ pid: process.pid, host: hostname() }));
        await handle.close();
        return new RunLock(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const holder = await readHolder(file);
      if (attempt > 2 || (holder && isAlive(holder))) {
        throw trainerErrors.VERL_TRAINER_FOLDER_IN_USE({
          what: `process ${holder?.pid ?? "?"} on ${holder?.host ?? "?"} is running in this folder`,
          where: folder,
        });
      }
      await rm(file, { force: true });
    }
  }

  async release(): Promise<void> {
    const holder = await readHolder(this.file);
    if (holder?.pid === process.pid) await rm(this.file, { force: true });
  }
}

interface Holder {
  readonly pid: number;
  readonly host: string;
}

async function readHolder(file: string): Promise<Holder | null> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Holder;
  } catch {
    return null;
  }
}

/** A process of another host counts as alive: it cannot be asked. */
function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
