import type { VersionRun } from "../../rollout/rollout.js";
import type { AgentLoopOutput } from "../agent-loop.js";

/** What is wrong with an output's runs: they are in order and cover the sampled tokens, within the versions that it names. */
export function runProblem(output: AgentLoopOutput, runs: readonly VersionRun[]): string | null {
  const { responseMask, minWeightVersion, maxWeightVersion } = output;
  let [at, covered] = [0, 0];
  for (const { start, end, version } of runs) {
    const inOrder = Number.isInteger(start) && Number.isInteger(end) && at <= start && start < end;
    if (!inOrder || end > responseMask.length)
      return `tokens ${start} to ${end} of version ${version} are out of place`;
    if (version < minWeightVersion || version > maxWeightVersion) {
      return `tokens ${start} to ${end} are of version ${version}, outside ${minWeightVersion} to ${maxWeightVersion}`;
    }
    for (let t = start; t < end; t++) covered += responseMask[t];
    at = end;
  }
  const sampled = responseMask.reduce<number>((sum, bit) => sum + bit, 0);
  return covered === sampled ? null : `the versions of ${covered} of ${sampled} sampled tokens are given`;
}

/** The runs of the first `length` tokens. */
export function cutRuns(runs: readonly VersionRun[], length: number): VersionRun[] {
  return runs.flatMap((run) => (run.start < length ? [{ ...run, end: Math.min(run.end, length) }] : []));
}
