import {
  type ComposedConfig,
  composeAnyway,
  inspectConfig,
  type Notice,
  type Problem,
  problemOf,
  problemsError,
} from "../../core/config/index.js";
import { isVerlError, type VerlError } from "../../core/host/basics.js";
import type { Host } from "../../core/index.js";
import { type CommandIo, printJson, printLine } from "../program/io.js";
import { EXIT, exitCodeOf } from "../program/report-error.js";
import { askPlan, type PlanAnswer } from "../runs/plan-check.js";
import { type ConfigRequest, printNotices, startHost, whatIsRegistered, withoutPlugins } from "../runs/prepare-run.js";
import { type Unchecked, uncheckedOf, uncheckedText } from "./unchecked.js";

/** What `config check` finds. */
interface Checked {
  readonly problems: readonly Problem[];
  readonly notices: readonly Notice[];
  /** What only another command looks at. */
  readonly unchecked: readonly Unchecked[];
}

/** `verl config check`: every problem at once, without starting anything. */
export async function checkCommand(request: ConfigRequest, io: CommandIo): Promise<number> {
  const { problems, notices, unchecked } = await check(request, io);
  const ok = problems.length === 0;
  if (request.json) {
    printJson(io, { ok, problems, notices, unchecked });
    return ok ? EXIT.ok : EXIT.usage;
  }
  printNotices(notices, io);
  if (!ok) throw problemsError(problems);
  printLine(io.stdout, "The configuration is sound.");
  for (const line of uncheckedText(unchecked)) printLine(io.stdout, line);
  return EXIT.ok;
}

async function check(request: ConfigRequest, io: CommandIo): Promise<Checked> {
  let composed: ComposedConfig;
  try {
    composed = await composeAnyway({ ...request, env: io.env, cwd: io.cwd });
  } catch (error) {
    return { problems: [problemOf(ofUser(error), "")], notices: [], unchecked: [] };
  }
  let host: Host;
  try {
    host = await startHost(request, composed.plugins, io);
  } catch (error) {
    const found = await withoutPlugins(composed, ofUser(error), { cwd: io.cwd, forTraining: true });
    return { ...found, unchecked: [] };
  }
  try {
    const found = await inspectConfig(composed, { ...(await whatIsRegistered(host)), cwd: io.cwd, forTraining: true });
    const { config } = found;
    const own = [...found.problems, ...(await unknownPlatform(host, config.trainer.device))];
    const answer = await askPlan(composed, config, own, { host, io });
    const problems = "checked" in answer ? [...own, ...answer.checked.problems] : own;
    const missing = "checked" in answer ? [] : (answer.missing ?? []);
    const hub = missing.map((model) => ({ what: `${model}, which is not downloaded`, command: "verl doctor" }));
    return {
      problems,
      notices: [...found.notices, ...(problems.length > 0 ? [] : planNotices(answer))],
      unchecked: [...uncheckedOf(config), ...hub],
    };
  } finally {
    await host.dispose();
  }
}

/** An error of what the user wrote; any other goes on. */
function ofUser(error: unknown): VerlError {
  if (!isVerlError(error) || exitCodeOf(error) !== EXIT.usage) throw error;
  return error;
}

/** What engines and servers warn of, and who could not be asked. */
function planNotices(answer: PlanAnswer): Notice[] {
  const silent = (who: string, why: string): Notice => ({
    level: "notice",
    key: "",
    message: `${who} not asked whether they can do this: ${why.replace(/\.$/, "")}. A start would tell.`,
  });
  if (!("checked" in answer)) return [silent("Engine and server were", answer.why)];
  const { warnings, unasked } = answer.checked;
  return unasked.length === 0
    ? [...warnings]
    : [
        ...warnings,
        silent(`${unasked.join(" and ")} ${unasked.length > 1 ? "were" : "was"}`, "their plugins have no check"),
      ];
}

/** A platform that no plugin registers. Whether this machine has the one that is named is no matter of the configuration. */
async function unknownPlatform(host: Host, device: string): Promise<Problem[]> {
  try {
    await host.services({ device });
  } catch (error) {
    if (!isVerlError(error)) throw error;
    if (error.code !== "VERL_PLATFORM_UNKNOWN") return [];
    const { what, why, fix } = error;
    return [{ code: "VERL_CONFIG_NAME", key: "trainer.device", what, why, fix }];
  }
  return [];
}
