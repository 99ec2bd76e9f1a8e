import { type FileHandle, open, readdir, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { makeFolder } from "../../../core/host/index.js";
import { replaceFile } from "../../../core/tracking/index.js";
import { stepAndEnd, versionEvent } from "./events.js";
import { record, recordsOf } from "./records.js";

export interface EventFileOptions {
  readonly folder: string;
  /** Names the run in the names of its files: others may write into the same folder. */
  readonly id: string;
  /** Events of this step and later ones are taken out of the files that the run wrote before; 0: the files go. */
  readonly keepBelow: number;
}

/**
 * An event file of a run. A run that goes on writes a new one beside those that it has, cut to what it goes on from, so that
 * no reader meets a step twice.
 */
export class EventFile {
  private constructor(
    private readonly handle: FileHandle,
    /** Whether files of the run's earlier part are there. */
    readonly continues: boolean,
  ) {}

  static async open({ folder, id, keepBelow }: EventFileOptions): Promise<EventFile> {
    await makeFolder(folder);
    const earlier = await filesOf(folder, id);
    for (const { name } of earlier) {
      const file = path.join(folder, name);
      if (keepBelow > 0) await cut(file, keepBelow);
      else await rm(file);
    }
    // Readers take the files of a folder in the order of their names.
    const newest = Math.max(0, ...earlier.map(({ seconds }) => seconds));
    const seconds = Math.max(Math.floor(Date.now() / 1000), newest + 1);
    const name = `events.out.tfevents.${String(seconds).padStart(10, "0")}.${hostname()}.${process.pid}.verl-${id}`;
    const handle = await open(path.join(folder, name), "a");
    const file = new EventFile(handle, keepBelow > 0 && earlier.length > 0);
    try {
      await file.append([versionEvent(new Date())]);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return file;
  }

  /** On the disk when it returns. */
  async append(events: readonly Buffer[]): Promise<void> {
    await this.handle.appendFile(Buffer.concat(events.map(record)));
    await this.handle.datasync();
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

async function filesOf(folder: string, id: string): Promise<{ readonly name: string; readonly seconds: number }[]> {
  return (await readdir(folder)).flatMap((name) => {
    const seconds = /^events\.out\.tfevents\.(\d+)\./.exec(name)?.[1];
    return seconds !== undefined && name.endsWith(`.verl-${id}`) ? [{ name, seconds: Number(seconds) }] : [];
  });
}

/** Leaves the events before a step. What says how the run ended goes as well, and so does a record that a kill tore. */
async function cut(file: string, keepBelow: number): Promise<void> {
  const bytes = await readFile(file);
  const kept: Buffer[] = [];
  for (const data of recordsOf(bytes)) {
    const { step, isEnd } = stepAndEnd(data);
    if (step < keepBelow && !isEnd) kept.push(record(data));
  }
  const rest = Buffer.concat(kept);
  if (rest.length < bytes.length) await replaceFile(file, rest);
}
