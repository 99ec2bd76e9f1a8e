import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Catalogue } from "../../../cli/dashboard/catalogue.js";
import { pageFiles } from "../../../cli/dashboard/page-files.js";
import { Roots } from "../../../cli/dashboard/roots.js";
import { type RunningServer, serve } from "../../../cli/dashboard/server.js";
import { metricsLine, type RecordedPlugin, trajectoryLine, writeRunFiles } from "../../../core/tracking/index.js";
import { fakeTrajectory } from "../../../testing/index.js";

/** What a model writes to whoever shows its text as markup. */
export const HOSTILE = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>"\'&lt;';

export interface MadeRun {
  readonly steps?: number;
  /** Added to every reward. */
  readonly more?: number;
  readonly config?: string;
  readonly plugins?: readonly RecordedPlugin[];
  readonly text?: string;
}

/** The folder of a run as `verl train` leaves it: a metrics line a minute, two trajectories a step. */
export async function makeRun(
  dir: string,
  { steps = 20, more = 0, config = "", plugins, text = "The answer is 4." }: MadeRun = {},
): Promise<void> {
  await mkdir(dir, { recursive: true });
  const yaml = `trainer:\n  total_training_steps: 40\n  project_name: toy\n  seed: 1 # grpo.yaml:3:9\n${config}`;
  await writeRunFiles(dir, yaml, {
    version: "0.1.0",
    cwd: path.dirname(dir),
    startedAt: "2026-01-02T03:04:05.000Z",
    plugins,
  });
  const metrics: string[] = [];
  const samples: string[] = [];
  for (let step = 1; step <= steps; step++) {
    const reward = 1 - Math.exp(-step / 15) + more + 0.1 * Math.sin(step * 1.7);
    const validation: Record<string, number> =
      step % 10 === 0 ? { "val-core/toy/acc/mean@1": reward / 2, "val-aux/toy/acc/mean@1/stderr": 0.02 } : {};
    const line = {
      "critic/rewards/mean": reward,
      "critic/rewards/min": reward - 0.4,
      "critic/rewards/max": reward + 0.4,
      "actor/entropy": step === 3 ? Number.NaN : 2 / step,
      "actor/grad_norm": 1 / step,
      "response_length/mean": 200 + 3 * step,
      ...validation,
    };
    metrics.push(metricsLine(step, line, new Date(Date.UTC(2026, 0, 2, 3, 4 + step))));
    for (const session of [0, 1]) {
      samples.push(
        trajectoryLine(
          fakeTrajectory({
            key: `u${step}_${session}_0`,
            step,
            split: step % 10 === 0 ? "val" : "train",
            dataSource: "toy",
            promptText: `What is 2 + 2? ${text}`,
            responseText: text,
            tokens: [...text.split(/(?<= )/), "\ntool: 4", "\nDone."],
            mask: [...text.split(/(?<= )/).map(() => 1), 0, 1],
            logProbs: [...text.split(/(?<= )/).map((_, i) => -0.3 * i), 0, -1.5],
            trainerLogProbs: [...text.split(/(?<= )/).map((_, i) => -0.3 * i + (i === 2 ? 0.2 : 1e-6)), 0, -1.5],
            score: session === 0 ? 1 : step / 100,
            stopReason: session === 0 ? "stop" : "length",
            extra: { acc: session === 0 ? 1 : 0 },
          }),
        ),
      );
    }
  }
  await writeFile(path.join(dir, "metrics.jsonl"), metrics.map((line) => `${line}\n`).join(""));
  await writeFile(path.join(dir, "samples.jsonl"), samples.map((line) => `${line}\n`).join(""));
}

/** A dashboard over a folder of its own. */
export class TestDashboard implements AsyncDisposable {
  private constructor(
    readonly dir: string,
    readonly server: RunningServer,
    readonly key: string | null,
  ) {}

  /** `prepare` fills the folder. */
  static async start(prepare: (dir: string) => Promise<void>, key: string | null = null): Promise<TestDashboard> {
    const dir = await mkdtemp(path.join(tmpdir(), "verl-dash-"));
    await prepare(dir);
    const catalogue = new Catalogue(await Roots.open([path.join(dir, "runs")]));
    const server = await serve({ catalogue, files: await pageFiles(), host: "127.0.0.1", port: 0, key });
    return new TestDashboard(dir, server, key);
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  at(...parts: string[]): string {
    return path.join(this.dir, "runs", ...parts);
  }

  async get<T = Record<string, unknown>>(
    place: string,
    init: RequestInit = {},
  ): Promise<{ status: number; body: T; headers: Headers }> {
    const response = await fetch(`${this.url}${place}`, init);
    return { status: response.status, body: (await response.json()) as T, headers: response.headers };
  }

  /** The id of a run of this name. */
  async id(name: string): Promise<string> {
    const { body } = await this.get<{ runs: { id: string; name: string }[] }>("/api/runs");
    const found = body.runs.find((run) => run.name === name);
    if (!found) throw new Error(`no run ${name} among ${body.runs.map((run) => run.name)}`);
    return found.id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}
