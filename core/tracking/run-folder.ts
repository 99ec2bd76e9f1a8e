import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { type Dict, parseYaml, toPlain } from "../config/index.js";
import { reasonOf } from "../host/errors.js";
import type { JsonValue } from "../host/types.js";
import { makeFolder } from "../host/util/make-folder.js";
import { parseOutsideJson } from "../host/util/outside-json.js";
import { trackingErrors } from "./errors.js";
import { readRunFile } from "./line-file.js";
import { type MetricsLine, readMetrics } from "./metrics-file.js";
import { replaceFile, written } from "./written.js";

/** One line per step. */
export const METRICS_FILE = "metrics.jsonl";
/** A few trajectories of every step. */
export const SAMPLES_FILE = "samples.jsonl";
/** The composed configuration, secrets masked; each value that somebody set says where it came from. */
export const CONFIG_FILE = "config.yaml";
/** What the configuration does not say: {@link RunNote}. */
export const NOTE_FILE = "run.json";

/** What a run itself keeps in its folder, as far as others read it. */
export const RUN_FILES: readonly string[] = [METRICS_FILE, SAMPLES_FILE, CONFIG_FILE, NOTE_FILE];

const pluginSchema = z.object({
  name: z.string(),
  version: z.string(),
  /** `builtin`, `config`, `environment`, … */
  source: z.string(),
  status: z.string(),
  /** Over its files; null for what is built in. */
  hash: z.string().nullable(),
  registered: z.array(z.object({ kind: z.string(), key: z.string() })).readonly(),
});
const noteSchema = z.object({
  /** Version of verl-ts. */
  version: z.string(),
  /** Base of the relative paths in the configuration. */
  cwd: z.string(),
  /** ISO 8601. */
  startedAt: z.string(),
  /** In load order; absent in notes of versions that kept none. */
  plugins: z.array(pluginSchema).readonly().optional(),
});
/** How a run was started, last. */
export type RunNote = Readonly<z.infer<typeof noteSchema>>;
/** A plugin that a run had, and what it held in the registries. */
export type RecordedPlugin = Readonly<z.infer<typeof pluginSchema>>;

/** Note in a run's folder what it runs with, so that others can look at it, compare it and repeat parts of it. */
export async function writeRunFiles(dir: string, config: string, note: RunNote): Promise<void> {
  const files = { [CONFIG_FILE]: config, [NOTE_FILE]: `${JSON.stringify(note, null, 1)}\n` };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(dir, name);
    await written(file, async () => {
      await makeFolder(dir);
      // Those of an earlier start stay whole if this one fails.
      await replaceFile(file, text);
    });
  }
}

/** A file with trajectories. */
export interface TrajectoryFile {
  readonly file: string;
  /** Of a dump: what it holds. `samples.jsonl` holds both splits and every step. */
  readonly split: "train" | "val" | null;
  readonly step: number | null;
}

/** A run's {@link CONFIG_FILE}. */
export interface SavedConfig {
  /** As it stands, with the sources of the values in comments. */
  readonly text: string;
  readonly tree: Dict;
  readonly plain: Readonly<Record<string, JsonValue>>;
}

/** The folder in which a run keeps what it logs (`trainer.output_dir`). Everything in it may be missing. */
export class RunFolder {
  private constructor(
    readonly dir: string,
    private readonly readNote: () => RunNote | null,
    private readonly readConfig: () => SavedConfig | null,
  ) {}

  /** Null for a run of a version that kept none. A damaged one is `VERL_TRACKING_BAD_FILE`. */
  get note(): RunNote | null {
    return this.readNote();
  }

  /** Null for a run that kept none. A damaged one is `VERL_CONFIG_SYNTAX`. */
  get config(): SavedConfig | null {
    return this.readConfig();
  }

  /** A folder without any of a run's files is `VERL_TRACKING_NO_RUN`. */
  static async open(dir: string): Promise<RunFolder> {
    const names = await readdir(dir).catch((cause: NodeJS.ErrnoException) => {
      throw noRun(dir, cause.code === "ENOENT" ? "there is no such folder" : reasonOf(cause));
    });
    if (![METRICS_FILE, SAMPLES_FILE, CONFIG_FILE].some((name) => names.includes(name))) {
      throw noRun(dir, `it has no ${METRICS_FILE}${await hint(dir, names)}`);
    }
    const note = await readRunFile(path.join(dir, NOTE_FILE));
    const config = await readRunFile(path.join(dir, CONFIG_FILE));
    return new RunFolder(
      dir,
      once(() => (note === null ? null : parseNote(note, path.join(dir, NOTE_FILE)))),
      once(() => (config === null ? null : parseConfig(config, path.join(dir, CONFIG_FILE)))),
    );
  }

  metrics(): Promise<MetricsLine[]> {
    return readMetrics(path.join(this.dir, METRICS_FILE));
  }

  /** A value of the saved configuration; null where there is none. */
  setting(key: string): JsonValue {
    let value: JsonValue | undefined = this.config?.plain;
    for (const part of key.split(".")) {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
      value = (value as Record<string, JsonValue>)[part];
    }
    return value ?? null;
  }

  /** What the run is called: as its folder where that has been renamed or copied since, else as its configuration says. */
  get experimentName(): string {
    const own = path.basename(this.dir);
    const [name, output] = [this.setting("trainer.experiment_name"), this.setting("trainer.output_dir")];
    const isRenamed = typeof output === "string" && path.basename(path.resolve(this.note?.cwd ?? "", output)) !== own;
    return isRenamed || typeof name !== "string" || name === "" ? own : name;
  }

  /** Where a relative path of the configuration leads, also when the folder has moved since. */
  async locate(file: string): Promise<string> {
    const cwd = this.note?.cwd ?? process.cwd();
    const then = path.resolve(cwd, file);
    const output = this.setting("trainer.output_dir");
    if (typeof output !== "string") return then;
    const inside = path.relative(path.resolve(cwd, output), then);
    const isInside = !inside.startsWith("..") && !path.isAbsolute(inside);
    // What lay in the run's own folder has come with it: a copy does not show what the original has become.
    return isInside || !(await exists(then)) ? path.resolve(this.dir, inside) : then;
  }

  /** Complete dumps first, by split and step; `samples.jsonl` for a split without a dump. */
  async trajectoryFiles(): Promise<TrajectoryFile[]> {
    const files: TrajectoryFile[] = [];
    const dumped = new Set<string>();
    for (const [split, key] of DUMPS) {
      const dir = this.setting(key);
      if (typeof dir !== "string") continue;
      const found = await dumpFiles(await this.locate(dir), split);
      if (found.length > 0) dumped.add(split);
      files.push(...found);
    }
    const samples = path.join(this.dir, SAMPLES_FILE);
    if (dumped.size < DUMPS.length && (await exists(samples))) {
      const missing = DUMPS.map(([split]) => split).filter((split) => !dumped.has(split));
      files.push({ file: samples, split: missing.length === 1 ? missing[0] : null, step: null });
    }
    return files;
  }
}

const DUMPS = [
  ["train", "trainer.rollout_data_dir"],
  ["val", "trainer.validation_data_dir"],
] as const;

/** The `{step}.jsonl` files of a folder of dumps, in the order of their steps. */
export async function dumpFiles(dir: string, split: TrajectoryFile["split"] = null): Promise<TrajectoryFile[]> {
  const names = await readdir(dir).catch(() => [] as string[]);
  return names
    .flatMap((name) => {
      const step = /^(\d+)\.jsonl$/.exec(name)?.[1];
      return step === undefined ? [] : [{ file: path.join(dir, name), split, step: Number(step) }];
    })
    .sort((a, b) => a.step - b.step);
}

/** Computes when first asked; what was thrown is thrown again. */
function once<T>(compute: () => T): () => T {
  let outcome: { readonly value: T } | { readonly error: unknown } | null = null;
  return () => {
    if (outcome === null) {
      try {
        outcome = { value: compute() };
      } catch (error) {
        outcome = { error };
      }
    }
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  };
}

function parseConfig(text: string, file: string): SavedConfig {
  const tree = parseYaml(text, file);
  return { text, tree, plain: toPlain(tree) as Record<string, JsonValue> };
}

function parseNote(text: string, file: string): RunNote {
  try {
    return noteSchema.parse(parseOutsideJson(text));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : reasonOf(cause);
    throw trackingErrors.VERL_TRACKING_BAD_FILE({ what: `${NOTE_FILE} is damaged`, where: file, why, cause });
  }
}

/** " (run/a and run/b have)": the folder above the right one is an easy mistake. */
async function hint(dir: string, names: readonly string[]): Promise<string> {
  const runs: string[] = [];
  for (const name of names) if (await exists(path.join(dir, name, METRICS_FILE))) runs.push(path.join(dir, name));
  return runs.length === 0 ? "" : `; ${runs.slice(0, 3).join(", ")} ${runs.length === 1 ? "has" : "have"}`;
}

const noRun = (dir: string, why: string) =>
  trackingErrors.VERL_TRACKING_NO_RUN({ what: `${dir} is not the folder of a run`, why });

const exists = async (file: string): Promise<boolean> => (await stat(file).catch(() => null)) !== null;
