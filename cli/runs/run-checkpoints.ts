import { readdir } from "node:fs/promises";
import type { RunFolder } from "../../core/tracking/index.js";

/** Where the checkpoints of a run are: in the folder that was named if there are any, else where its configuration has put them. */
export async function checkpointRoot(run: RunFolder): Promise<string> {
  const names = await readdir(run.dir).catch(() => [] as string[]);
  const folder = run.setting("trainer.default_local_dir");
  // Of a run that was renamed or copied the configuration may name what is another run by now.
  if (typeof folder !== "string" || names.some((name) => /^global_step_\d+$/.test(name))) return run.dir;
  return run.locate(folder);
}
