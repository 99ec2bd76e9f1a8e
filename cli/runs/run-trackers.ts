import path from "node:path";
import { maskSecrets, toPlain } from "../../core/config/index.js";
import type { Logger } from "../../core/plugin.js";
import { checkTrackers, type Tracker } from "../../core/tracking/index.js";
import { checkFolders } from "../../core/trainer/index.js";
import type { CommandIo } from "../program/io.js";
import type { PreparedRun } from "./prepare-run.js";
import { trackerSettings } from "./tracker-settings.js";

/**
 * The trackers of a run, none of them started. Refuses, before anything heavy is loaded, folders and trackers that the run could not
 * use; leaves nothing behind.
 */
export async function runTrackers(
  { config, composed, host }: PreparedRun,
  io: CommandIo,
  { logger, console }: { readonly logger: Logger; readonly console?: Tracker },
): Promise<Tracker[]> {
  const { trainer } = config;
  const trackers: Tracker[] = console ? [console] : [];
  const options = { env: io.env, settings: trackerSettings(trainer) };
  for (const name of trainer.logger) {
    if (name === "console" && console) continue;
    trackers.push(await host.registries.trackers.require(name).create(options));
  }
  await checkFolders(config, io.cwd);
  await checkTrackers(trackers, {
    projectName: trainer.project_name,
    experimentName: trainer.experiment_name,
    outputDir: path.resolve(io.cwd, trainer.output_dir),
    config: maskSecrets(toPlain(composed.tree), io.env),
    logger,
  });
  return trackers;
}
