import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { reasonOf, type TrackerOptions } from "../../../core/plugin.js";
import { trackerErrors } from "../errors.js";

/** Python files are published as they are, beside the compiled ones. */
export const BRIDGE = fileURLToPath(new URL("../../../../plugins/trackers/python/bridge.py", import.meta.url));
/** A first import from a cold disk; the check itself takes some tens of milliseconds. */
const DEADLINE_MS = 60_000;

/** A Python that has the client of a tracker. */
export interface FoundPython {
  readonly command: string;
  readonly pythonVersion: string;
  readonly clientVersion: string;
}

/**
 * The Python that `trainer.tracker_python` names, else the first of `python3` and `python` on the PATH that has the package.
 * Nothing of the package is run.
 *
 * @throws VERL_TRACKER_NO_PYTHON, VERL_TRACKER_NOT_INSTALLED
 */
export async function findPython(tracker: string, { env, settings, namedBy }: TrackerOptions): Promise<FoundPython> {
  const named = settings?.python;
  const without: string[] = [];
  const reasons: string[] = [];
  for (const command of named ? [named] : ["python3", "python"]) {
    try {
      const { python, client } = await check(command, tracker, env);
      if (client !== null) return { command, pythonVersion: python, clientVersion: client };
      without.push(`${command} (Python ${python})`);
    } catch (error) {
      reasons.push(`${command}: ${reasonOf(error)}`);
    }
  }
  // A run's configuration has a key; outside of runs there is the variable alone.
  const keys = namedBy === undefined ? "trainer.tracker_python or VERL_TRACKER_PYTHON" : "VERL_TRACKER_PYTHON";
  const from = named ? keys : "the PATH";
  const where = namedBy ?? "trainer.logger";
  if (without.length > 0) {
    const [first] = without[0].split(" (");
    throw trackerErrors.VERL_TRACKER_NOT_INSTALLED({
      what: `the tracker ${tracker} needs the Python package ${tracker}, which ${without.join(" and ")} of ${from} ${without.length === 1 ? "does" : "do"} not have`,
      where,
      fix: `\`${first} -m pip install ${tracker}\`, or name the Python that has it in ${keys}`,
    });
  }
  throw trackerErrors.VERL_TRACKER_NO_PYTHON({
    what: `the tracker ${tracker} has a client in Python, and no Python of ${from} can be run`,
    where,
    why: reasons.join("; "),
    fix: `install Python 3.8 or newer and then \`pip install ${tracker}\`, or name a Python that has it in ${keys}`,
  });
}

async function check(command: string, tracker: string, env: TrackerOptions["env"]) {
  const text = await new Promise<string>((resolve, reject) => {
    const options = { env: { ...env }, timeout: DEADLINE_MS, windowsHide: true, maxBuffer: 1 << 16 };
    execFile(command, ["-B", BRIDGE, "--check", tracker], options, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else
        reject(new Error(stderr.trim().split("\n").at(-1) || (error.code === "ENOENT" ? "not found" : error.message)));
    });
  });
  const answer = JSON.parse(text) as { readonly python: string; readonly client: string | null };
  if (typeof answer.python !== "string") throw new Error("it is no Python");
  return answer;
}
