import path from "node:path";
import { reasonOf } from "../../core/host/basics.js";
import type { PluginRecord, ProcessRole } from "../../core/host/index.js";
import { createHost, type Host } from "../../core/index.js";
import type { ConformanceCase } from "../../testing/index.js";
import { BUILTINS } from "../builtins.js";
import { cliErrors } from "../errors.js";
import { type CommandIo, painter, printJson, printLine } from "../program/io.js";
import { EXIT } from "../program/report-error.js";
import { conformanceSuites, type Suite } from "./conformance-suites.js";
import { quiet } from "./plugins-list.js";

/** Longest time of one case: a suite must end, whatever the plugin does. */
const CASE_DEADLINE_MS = 120_000;
const ROLES: readonly ProcessRole[] = ["driver", "trainer", "rollout", "reward", "agent"];

export interface TestPluginRequest {
  /** Folder of the plugin's package. */
  readonly dir: string;
  /** Suites that are not run, by kind. */
  readonly skip: readonly string[];
  readonly json: boolean;
}

interface CaseResult {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly reason?: string;
}

interface SuiteResult {
  readonly suite: string;
  readonly cases: readonly CaseResult[];
  /** Why nothing was run. */
  readonly skipped?: string;
}

/** `verl plugins test [DIR]`: loads a package by its manifest and runs the conformance suites of what it registers. */
export async function testPlugin({ dir, skip, json }: TestPluginRequest, io: CommandIo): Promise<number> {
  const folder = path.resolve(io.cwd, dir);
  const { host, record } = await load(folder, io);
  const results: SuiteResult[] = [];
  try {
    if (!json) printLine(io.stdout, painter(io.color.stdout)("bold", `${record.name}@${record.version}  ${folder}`));
    for (const suite of await conformanceSuites(host, record, folder)) {
      const skipped = skip.includes(suite.kind) ? "left out by --skip" : suite.skipped;
      const result =
        skipped === undefined ? await runSuite(suite, io, json) : { suite: suite.name, cases: [], skipped };
      if (skipped !== undefined && !json) printLine(io.stdout, `${suite.name}: not run, ${skipped}`);
      results.push(result);
    }
  } finally {
    await host.dispose();
  }
  return conclude(record, results, io, json);
}

/** The plugin in a host of its own, in the first process that loads it. */
async function load(folder: string, io: CommandIo): Promise<{ host: Host; record: PluginRecord }> {
  // What the user's environment loads besides is no matter of this plugin.
  const env = Object.fromEntries(Object.entries(io.env).filter(([name]) => !name.startsWith("VERL_")));
  for (const role of ROLES) {
    const host = await createHost({ cwd: io.cwd, env, plugins: [folder], builtins: BUILTINS, role, logger: quiet });
    const record = host.report.plugins.find(({ specifier }) => specifier === folder);
    if (record?.status === "loaded") return { host, record };
    await host.dispose();
  }
  throw cliErrors.VERL_CLI_USAGE({
    what: `The plugin in ${folder} loads in no process.`,
    fix: 'Correct "processes" in its manifest.',
  });
}

async function runSuite({ name, cases }: Suite, io: CommandIo, json: boolean): Promise<SuiteResult> {
  const paint = painter(io.color.stdout);
  if (!json) printLine(io.stdout, name);
  const results: CaseResult[] = [];
  for (const conformanceCase of cases) {
    const result = await runCase(conformanceCase);
    results.push(result);
    if (json) continue;
    printLine(io.stdout, `  ${result.passed ? paint("green", "ok  ") : paint("red", "FAIL")}  ${result.name}`);
    if (result.reason) printLine(io.stdout, `        ${result.reason.replaceAll("\n", "\n        ")}`);
  }
  return { suite: name, cases: results };
}

async function runCase({ name, run }: ConformanceCase): Promise<CaseResult> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not end within ${CASE_DEADLINE_MS / 1000} s`)), CASE_DEADLINE_MS);
  });
  try {
    await Promise.race([run(), late]);
    return { name, passed: true, seconds: seconds() };
  } catch (error) {
    return { name, passed: false, seconds: seconds(), reason: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

function conclude(record: PluginRecord, results: readonly SuiteResult[], io: CommandIo, json: boolean): number {
  const cases = results.flatMap((result) => result.cases);
  const passed = cases.filter((result) => result.passed).length;
  const failed = cases.length - passed;
  if (json) printJson(io, { plugin: record.name, version: record.version, passed, failed, suites: results });
  else printLine(io.stdout, `${passed} passed, ${failed} failed`);
  return failed === 0 ? EXIT.ok : EXIT.failed;
}
