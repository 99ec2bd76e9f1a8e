import {
  formatDuration,
  formatNumber,
  formatValue,
  type KeyMetric,
  keyMetric,
  STALENESS,
  validationScores,
} from "../../../core/tracking/index.js";

/** A labelled value of the line. Cells without a label carry their unit behind the number. */
export interface Cell {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  /** Cells of lower rank go first where the terminal is too narrow. */
  readonly rank: number;
  readonly bad?: boolean;
}

const COLUMNS: readonly { metric: KeyMetric; label: string; unit?: string; width: number; rank: number }[] = [
  { metric: "reward", label: "reward", width: 6, rank: 9 },
  { metric: "loss", label: "loss", width: 6, rank: 3 },
  { metric: "length", label: "length", width: 5, rank: 7 },
  { metric: "entropy", label: "entropy", width: 6, rank: 4 },
  { metric: "kl", label: "kl", width: 6, rank: 5 },
  { metric: "gapMax", label: "gap", width: 6, rank: 6 },
  { metric: "throughput", label: "", unit: "tok/s", width: 6, rank: 2 },
];

/** The cells of one step, in their order; what the step did not log is absent. */
export function stepCells(metrics: Readonly<Record<string, number>>, etaSeconds: number | null): Cell[] {
  const cells: Cell[] = [];
  const hasReward = keyMetric(metrics, "reward") !== null;
  for (const { metric, label, unit, width, rank } of COLUMNS) {
    const value = keyMetric(metrics, metric);
    // The loss says little in reinforcement learning; it stands in for the reward in supervised training.
    if (value === null || (metric === "loss" && hasReward)) continue;
    const text = formatNumber(value).padStart(width);
    cells.push({ id: metric, label, text: unit ? `${text} ${unit}` : text, rank, bad: !Number.isFinite(value) });
  }
  const stale = metrics[STALENESS] ?? 0;
  if (stale !== 0) {
    cells.push({ id: "stale", label: "stale", text: formatValue(stale), rank: 6, bad: !Number.isFinite(stale) });
  }
  const seconds = keyMetric(metrics, "stepSeconds");
  if (seconds !== null) {
    cells.push({ id: "seconds", label: "", text: `${formatDuration(seconds).padStart(7)}/step`, rank: 1 });
  }
  if (etaSeconds !== null) {
    cells.push({ id: "eta", label: "eta", text: formatDuration(etaSeconds).padEnd(7), rank: 8 });
  }
  const scores = validationScores(Object.keys(metrics));
  for (const { name, dataSource } of scores.slice(0, 3)) {
    const label = scores.length > 1 ? `val ${dataSource}` : "val";
    const text = formatNumber(metrics[name]);
    cells.push({ id: name, label, text, rank: 10, bad: !Number.isFinite(metrics[name]) });
  }
  return cells;
}

/** Cells that fit a width, least important ones left out. */
export function fitCells(cells: readonly Cell[], available: number): Cell[] {
  const kept = [...cells];
  const width = () => kept.reduce((sum, { label, text }) => sum + 2 + label.length + (label ? 1 : 0) + text.length, 0);
  while (kept.length > 1 && width() > available) {
    const least = kept.reduce((worst, cell) => (cell.rank < worst.rank ? cell : worst));
    kept.splice(kept.indexOf(least), 1);
  }
  return kept;
}
