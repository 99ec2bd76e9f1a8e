import path from "node:path";
import { LOCK_FILE } from "../../core/inspect-plugins.js";
import { checkOutput, writeOutput } from "../program/output-file.js";
import { EXIT } from "../program/report-error.js";
import { listPlugins, type PluginsOutput, type PluginsRequest } from "./plugins-list.js";

/** `verl plugins list --write-lock`: records the lock for `--frozen-plugins`, unless a plugin could not be loaded. True: the usual file. */
export async function lockPlugins(request: PluginsRequest, to: string | true): Promise<PluginsOutput> {
  const file = path.resolve(request.cwd, to === true ? LOCK_FILE : to);
  await checkOutput(file);
  const { lockText, ...listed } = listPlugins(request);
  if (listed.exitCode !== EXIT.ok) return listed;
  await writeOutput(file, lockText);
  return { ...listed, text: `${listed.text}\n\nRecorded the lock in ${file}.` };
}
