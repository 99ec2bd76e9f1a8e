import type { BoundedSeries, SeriesStore } from "../../../core/tracking/index.js";
import {
  type Chart,
  formatDuration,
  formatValue,
  type Html,
  html,
  type KeyMetric,
  nameOf,
  renderChart,
  validationScores,
} from "../../../core/tracking/index.js";

interface Tile {
  readonly label: string;
  readonly value: string;
  readonly unit?: string;
  readonly detail: string;
}

/** The numbers that tell how a run went, as tiles. */
export function renderHeadline(store: SeriesStore): Html {
  const scores = validationScores(store.names());
  const tiles: (Tile | null)[] = scores
    .slice(0, 3)
    .map(({ name, dataSource }) =>
      change(scores.length > 1 ? `Validation, ${dataSource}` : "Validation", store.get(name)),
    );
  const of = (metric: KeyMetric) => seriesOf(store, metric);
  tiles.push(change("Reward", of("reward")));
  if (!of("reward")) tiles.push(change("Loss", of("loss")));
  tiles.push(
    change("Response length", of("length"), "tokens"),
    change("Entropy", of("entropy")),
    change("KL to reference", of("kl")),
  );
  const [gapMax, gapMean] = [of("gapMax"), of("gapMean")];
  if (gapMax?.max) {
    const mean = gapMean?.last ? `to the trainer; mean ${formatValue(gapMean.last.value)}` : "to the trainer, largest";
    tiles.push({ label: "Sampler gap", value: formatValue(gapMax.max.value), unit: "nats", detail: mean });
  }
  const [throughput, seconds] = [of("throughput"), of("stepSeconds")];
  if (throughput?.last ?? seconds?.last) {
    tiles.push({
      label: "Speed",
      value: throughput?.last ? formatValue(throughput.last.value) : "–",
      unit: "tok/s",
      detail: seconds?.last ? `${formatDuration(seconds.last.value)} per step` : "",
    });
  }
  const shown = tiles.filter((tile) => tile !== null);
  return html`<section class="tiles">${shown.map((t) => html`<div class="tile"><span>${t.label}</span><strong>${t.value}${t.unit && html` <em>${t.unit}</em>`}</strong><small>${t.detail}</small></div>`)}</section>`;
}

/** The three charts that are read first: validation, reward, and whether sampler and trainer agree. */
export function renderMainCharts(store: SeriesStore): Html {
  const charts: Chart[] = [];
  const validation = validationScores(store.names()).flatMap(({ name, dataSource }) => {
    const series = store.get(name);
    return series ? [{ label: dataSource, series }] : [];
  });
  if (validation.length > 0) charts.push({ title: "Validation", lines: validation.slice(0, 3), large: true });
  const reward = nameOf("reward", (name) => store.has(name));
  const series = reward === null ? null : store.get(reward);
  if (series) charts.push({ title: "Reward per step", lines: [{ label: "mean", series }], large: true });
  const gap = ["mean", "p99.9", "max"].flatMap((label) => {
    const found = store.get(`training/sampler_gap/${label}`);
    return found ? [{ label, series: found }] : [];
  });
  if (gap.length > 0) {
    charts.push({
      title: "Sampler gap",
      lines: gap,
      log: true,
      large: true,
      note: "|log p of trainer − sampler| per token, nats",
    });
  }
  return html`<section class="main">${charts.map(renderChart)}</section>`;
}

function seriesOf(store: SeriesStore, metric: KeyMetric): BoundedSeries | null {
  const name = nameOf(metric, (candidate) => store.has(candidate));
  return name === null ? null : store.get(name);
}

function change(label: string, series: BoundedSeries | null, unit = ""): Tile | null {
  if (!series?.first || !series.last) return null;
  const { first, last } = series;
  const value = formatValue(last.value);
  if (first.step === last.step) return { label, value, unit, detail: `at step ${last.step}` };
  const difference = last.value - first.value;
  const sign = difference > 0 ? "+" : "";
  return { label, value, unit, detail: `from ${formatValue(first.value)} (${sign}${formatValue(difference)})` };
}
