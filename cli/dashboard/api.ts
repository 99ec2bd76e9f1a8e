import { z } from "zod";
import { sampleOf } from "../../core/tracking/index.js";
import { VERSION } from "../program/version.js";
import type { Catalogue } from "./catalogue.js";
import { readCurves } from "./curves.js";
import { dashboardErrors } from "./errors.js";
import { KEY_NAMES, type LiveRun } from "./live-run.js";
import type { Query } from "./query.js";
import { queryRollouts, ROLLOUT_ORDERS, type RolloutEntry, readRollouts } from "./rollouts.js";
import { settingDifferences, settingsOf } from "./settings.js";
import { validationTable } from "./validation.js";

/** Of a trajectory in a list; the whole one is asked for by its id. */
const LISTED = { tokens: 1200, characters: 8000 };
const WHOLE = { tokens: 200_000, characters: 1_000_000 };

/** Answers a request for `/api/PATH` with what becomes JSON. Errors have codes. */
export async function answer(path: readonly string[], query: Query, catalogue: Catalogue): Promise<unknown> {
  const [place, id, part, item] = path;
  if (path.length === 1 && place === "runs") {
    query.end();
    return { version: VERSION, runs: await catalogue.summaries() };
  }
  if (path.length === 1 && place === "differences") return differences(query, catalogue);
  if (place === "runs" && id !== undefined && path.length <= 4) {
    const run = await catalogue.run(id);
    if (part === undefined) return overview(run, query);
    if (part === "rollouts" && item !== undefined) return rollout(run, item, query);
    const page = item === undefined ? PARTS.get(part) : undefined;
    if (page) return page(run, query);
  }
  throw dashboardErrors.VERL_DASHBOARD_NOT_FOUND({ what: "There is nothing under this address." });
}

const PARTS: ReadonlyMap<string, (run: LiveRun, query: Query) => Promise<unknown>> = new Map([
  ["metrics", metrics],
  ["rollouts", rollouts],
  ["validation", validation],
  ["config", config],
  ["plugins", plugins],
]);

async function overview(run: LiveRun, query: Query): Promise<unknown> {
  query.end();
  const summary = await run.summary();
  const { store } = run.curves;
  const found = store.names().map((name) => {
    const series = store.get(name);
    return { name, last: series?.last?.value ?? null, step: series?.last?.step ?? null, key: KEY_NAMES.includes(name) };
  });
  return { ...summary, metrics: found, metricsLeftOut: store.dropped };
}

async function metrics(run: LiveRun, query: Query): Promise<unknown> {
  const names = query.all("name", 100);
  const [from, to] = [query.number("from"), query.number("to")];
  const points = query.integer("points", 10, 5000, 600);
  query.end();
  await run.refreshCurves();
  if (from === null && to === null) return { series: names.flatMap((name) => run.curves.get(name) ?? []) };
  if (!(await run.hasMetrics())) return { series: [] };
  const range = { from: from ?? Number.NEGATIVE_INFINITY, to: to ?? Number.POSITIVE_INFINITY, points };
  return { series: await readCurves(run.metricsFile, names, range) };
}

async function rollouts(run: LiveRun, query: Query): Promise<unknown> {
  const wanted = {
    step: query.number("step"),
    split: query.oneOf("split", ["train", "val"] as const),
    stop: query.text("stop"),
    source: query.text("source"),
    min: query.number("min"),
    max: query.number("max"),
    order: query.oneOf("order", ROLLOUT_ORDERS) ?? "newest",
    offset: query.integer("offset", 0, Number.MAX_SAFE_INTEGER, 0),
    limit: query.integer("limit", 1, 50, 10),
  };
  query.end();
  const { files, outside } = await run.trajectoryFiles();
  await run.rollouts.refresh(files);
  const { entries, badLines } = run.rollouts;
  const matching = queryRollouts(entries, wanted);
  const scores = matching.flatMap(({ score }) => (score === null ? [] : [score]));
  const items = await itemsOf(matching.slice(wanted.offset, wanted.offset + wanted.limit), LISTED);
  return {
    total: entries.length,
    matching: matching.length,
    meanScore: scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
    steps: distinct(entries.map(({ step }) => step)).sort((a, b) => a - b),
    splits: distinct(entries.map(({ split }) => split)),
    stops: distinct(entries.map(({ stop }) => stop)).slice(0, 100),
    sources: distinct(entries.map(({ source }) => source)).slice(0, 100),
    items,
    badLines,
    outside,
  };
}

async function rollout(run: LiveRun, id: string, query: Query): Promise<unknown> {
  query.end();
  const { files } = await run.trajectoryFiles();
  await run.rollouts.refresh(files);
  const entry = /^\d{1,15}$/.test(id) ? run.rollouts.entry(Number(id)) : null;
  const [found] = entry ? await itemsOf([entry], WHOLE) : [];
  if (found) return found;
  throw dashboardErrors.VERL_DASHBOARD_NOT_FOUND({ what: "The run has no such trajectory, or no longer." });
}

async function itemsOf(entries: readonly RolloutEntry[], limits: typeof LISTED): Promise<unknown[]> {
  const records = await readRollouts(entries);
  return entries.flatMap(({ id, stop, length, gap }, i) => {
    const record = records[i];
    return record ? [{ id, ...sampleOf(record, limits), stop, length, gap }] : [];
  });
}

async function validation(run: LiveRun, query: Query): Promise<unknown> {
  query.end();
  await run.refreshCurves();
  return { rows: validationTable(run.curves.store) };
}

async function config(run: LiveRun, query: Query): Promise<unknown> {
  query.end();
  const found = (await run.folder()).config;
  return { settings: found && settingsOf(found) };
}

async function plugins(run: LiveRun, query: Query): Promise<unknown> {
  query.end();
  const { note } = await run.folder();
  const recorded = pluginsSchema.safeParse(note?.plugins);
  return { version: note?.version ?? null, plugins: recorded.success ? recorded.data : null };
}

async function differences(query: Query, catalogue: Catalogue): Promise<unknown> {
  const ids = query.all("run", 20);
  query.end();
  const runs = await Promise.all(ids.map((id) => catalogue.run(id)));
  const configs = await Promise.all(runs.map(async (run) => (await run.folder()).config));
  return {
    runs: ids,
    kept: configs.map((found) => found !== null),
    settings: settingDifferences(configs.map((found) => found?.tree ?? null)),
  };
}

const pluginsSchema = z.array(
  z.object({
    name: z.string(),
    version: z.string(),
    source: z.string(),
    status: z.string(),
    hash: z.string().nullable(),
    registered: z.array(z.object({ kind: z.string(), key: z.string() })),
  }),
);

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];
