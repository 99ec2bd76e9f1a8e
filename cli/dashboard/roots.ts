import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { reasonOf } from "../../core/host/basics.js";
import { trackingErrors } from "../../core/tracking/index.js";
import { dashboardErrors } from "./errors.js";

/** The folders that the dashboard was told to show. Nothing else is read, wherever links and configurations lead. */
export class Roots {
  private constructor(readonly dirs: readonly string[]) {}

  static async open(folders: readonly string[]): Promise<Roots> {
    const dirs = await Promise.all(folders.map(realFolder));
    return new Roots([...new Set(dirs)]);
  }

  /** The real path of a file or folder; null when it does not exist. `VERL_DASHBOARD_OUTSIDE` when it leads elsewhere. */
  async resolve(file: string): Promise<string | null> {
    const real = await realpath(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
      throw error;
    });
    if (real === null || this.dirs.some((dir) => isInside(real, dir))) return real;
    throw dashboardErrors.VERL_DASHBOARD_OUTSIDE({
      what: `${path.basename(file)} leads out of the folders that are shown.`,
      where: real,
    });
  }

  /** A file inside, or null where there is none. Anything else of that name is refused: a pipe would keep its reader waiting. */
  async file(file: string): Promise<{ readonly path: string; readonly stats: Stats } | null> {
    const real = await this.resolve(file);
    const stats = real === null ? null : await stat(real);
    if (real === null || stats === null) return null;
    if (stats.isFile()) return { path: real, stats };
    throw trackingErrors.VERL_TRACKING_BAD_FILE({ what: `${path.basename(file)} is no file`, where: real });
  }
}

const isInside = (file: string, dir: string) => {
  const relative = path.relative(dir, file);
  return relative === "" || !(relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative));
};

async function realFolder(folder: string): Promise<string> {
  const wrong = (why: string, cause?: unknown) =>
    dashboardErrors.VERL_DASHBOARD_NO_FOLDER({ what: `${folder} cannot be shown.`, where: folder, why, cause });
  const real = await realpath(folder).catch((cause: unknown) => {
    throw wrong(reasonOf(cause), cause);
  });
  if (!(await stat(real)).isDirectory()) throw wrong("it is no folder");
  return real;
}
