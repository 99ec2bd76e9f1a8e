import { randomUUID } from "node:crypto";
import { link, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { isVerlError, reasonOf } from "../host/errors.js";
import { makeFolder } from "../host/util/make-folder.js";
import { trainerErrors } from "./errors.js";

/** In the folder of a run as long as a process holds it. */
export const RUN_LOCK_FILE = "run.lock";
/** The lock is touched this often, and one of another machine that was not touched for `GONE_MS` is nobody's. */
const TOUCH_MS = 20_000;
const GONE_MS = 300_000;

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, as the system counts; tells it from a later one with its number. Null where unknown. */
  readonly started: string | null;
}

/**
 * Holds a run folder for one process. A lock whose process is gone is taken over: on this machine that is known, of another
 * one (or another container) it shows by its age.
 */
export class RunLock {
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly file: string,
    private readonly own: Holder,
  ) {
    this.timer = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => {}), TOUCH_MS).unref();
  }

  static async acquire(folder: string): Promise<RunLock> {
    try {
      return await RunLock.#acquire(folder);
    } catch (cause) {
      if (isVerlError(cause)) throw cause;
      const what = "the run's folder cannot be used";
      throw trainerErrors.VERL_TRAINER_FOLDER_UNUSABLE({ what, where: folder, why: reasonOf(cause), cause });
    }
  }

  static async #acquire(folder: string): Promise<RunLock> {
    await makeFolder(folder);
    const file = path.join(folder, RUN_LOCK_FILE);
    const own: Holder = { pid: process.pid, host: hostname(), started: await startOf(process.pid) };
    for (let attempt = 0; attempt < 5; attempt++) {
      if (await create(file, own)) {
        await removeDrafts(folder);
        return new RunLock(file, own);
      }
      const holder = await readHolder(file);
      if (holder && (await isAlive(holder, file))) throw inUse(folder, holder);
      await removeStale(file, holder);
    }
    throw inUse(folder, await readHolder(file));
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    if (isSame(await readHolder(this.file), this.own)) await rm(this.file, { force: true });
  }
}

/** Whether a process that is alive holds a run's folder. */
export async function isRunLocked(folder: string): Promise<boolean> {
  return (await holderOf(folder)) !== null;
}

/** @throws VERL_TRAINER_FOLDER_IN_USE where a process that is alive holds the folder. Takes nothing. */
export async function refuseUsedFolder(folder: string): Promise<void> {
  const holder = await holderOf(folder);
  if (holder !== null) throw inUse(folder, holder);
}

async function holderOf(folder: string): Promise<Holder | null> {
  const file = path.join(folder, RUN_LOCK_FILE);
  const holder = await readHolder(file);
  return holder !== null && (await isAlive(holder, file)) ? holder : null;
}

/** All or nothing: nobody ever reads a lock that is not complete. False when there is one already. */
async function create(file: string, own: Holder): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(own));
    await link(draft, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOENT: whoever got the lock has cleaned up.
    if (code === "EEXIST" || code === "ENOENT") return false;
    // A file system without hard links.
    if (code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS") return createPlainly(file, own);
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** What killed processes left beside the lock. */
async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(`${RUN_LOCK_FILE}.`)) await rm(path.join(folder, name), { force: true });
  }
}

async function createPlainly(file: string, own: Holder): Promise<boolean> {
  try {
    const handle = await open(file, "wx");
    await handle.writeFile(JSON.stringify(own));
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Take away a lock that is nobody's; one that somebody else has put there in the meantime goes back. */
async function removeStale(file: string, stale: Holder | null): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
    if (!isSame(await readHolder(aside), stale)) await link(aside, file).catch(() => {});
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function readHolder(file: string): Promise<Holder | null> {
  try {
    const { pid, host, started = null } = JSON.parse(await readFile(file, "utf8")) as Holder;
    return { pid, host, started };
  } catch {
    return null;
  }
}

async function isAlive({ pid, host, started }: Holder, file: string): Promise<boolean> {
  if (host !== hostname()) {
    const touched = await stat(file).then(
      (info) => info.mtimeMs,
      () => 0,
    );
    return Date.now() - touched < GONE_MS;
  }
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const current = await startOf(pid);
  return started === null || current === null || started === current;
}

/** Start time of a process in clock ticks since boot; null where the system does not tell. */
async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  // The command in parentheses may hold anything; 19 fields after it comes the start time.
  return text?.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null;
}

function isSame(a: Holder | null, b: Holder | null): boolean {
  return a?.pid === b?.pid && a?.host === b?.host && a?.started === b?.started;
}

function inUse(folder: string, holder: Holder | null) {
  const here = holder?.host === hostname();
  return trainerErrors.VERL_TRAINER_FOLDER_IN_USE({
    what: `process ${holder?.pid ?? "?"} on ${holder?.host ?? "?"} is running in this folder`,
    where: folder,
    ...(here
      ? {}
      : { why: `if that process is gone, its ${RUN_LOCK_FILE} counts for nothing after ${GONE_MS / 60_000} minutes` }),
  });
}
