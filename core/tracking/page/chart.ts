import { formatValue } from "../format.js";
import type { BoundedSeries, Point } from "./bounded-series.js";
import { type Html, html } from "./html.js";
import { linearScale, logScale, type Scale, stepTicks } from "./scale.js";

export interface ChartLine {
  /** Shown in the tooltip and, where a chart has several lines, in the legend. */
  readonly label: string;
  readonly series: BoundedSeries;
}

export interface Chart {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  /** Drawn as an area between two series behind the first line. */
  readonly band?: { readonly low: BoundedSeries; readonly high: BoundedSeries };
  readonly note?: string;
  readonly log?: boolean;
  readonly large?: boolean;
}

/** Colours that the style sheet has for lines. */
const LINE_COLOURS = 6;
const BOX = { width: 360, height: 150, left: 46, right: 10, top: 8, bottom: 20 };
const LARGE = { ...BOX, width: 440, height: 190, left: 50 };

/** A chart as inline SVG. Its numbers stand in a data attribute, where the page's script finds them for hover values. */
export function renderChart(chart: Chart): Html {
  const box = chart.large ? LARGE : BOX;
  const lines = chart.lines.map(({ label, series }) => ({ label, points: series.points(), last: series.last }));
  const band = chart.band && [chart.band.low.points(), chart.band.high.points()];
  const all = [...lines.map((l) => l.points), ...(band ?? [])].flat();
  const head = html`<header><h4>${chart.title}</h4>${legend(lines)}<b>${lines[0]?.last ? formatValue(lines[0].last.value) : "–"}</b></header>`;
  if (all.length === 0) return html`<figure class="chart">${head}<p class="empty">no finite value</p></figure>`;

  const range = (pick: (p: Point) => number): [number, number] => {
    const values = all.map(pick);
    return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  };
  const [firstStep, lastStep] = range((p) => p.step);
  const [low, high] = range((p) => p.value);
  const x = linearScale(firstStep, lastStep, box.left, box.width - box.right);
  const [bottom, top] = [box.height - box.bottom, box.top];
  const y = chart.log && low > 0 ? logScale(low, high, bottom, top) : linearScale(low, high, bottom, top, true);
  const label = `${chart.title}: ${lines.map((l) => `${l.label} ${l.last ? formatValue(l.last.value) : "–"} at step ${l.last?.step ?? "–"}`).join(", ")}`;
  const data = lines.map((l) => ({
    n: l.label,
    p: l.points.map((p) => [p.step, short(p.value), round(x.at(p.step)), round(y.at(p.value))]),
  }));
  return html`<figure class="${chart.large ? "chart large" : "chart"}">${head}<svg viewBox="0 0 ${box.width} ${box.height}" role="img" aria-label="${label}" data-lines="${JSON.stringify(data)}">
${y.ticks.map((tick) => gridLine(tick, y, box))}
${stepTicks(firstStep, lastStep).map((tick) => html`<text class="tick" x="${round(x.at(tick))}" y="${box.height - 6}" text-anchor="middle">${tick}</text>`)}
${band && html`<path class="band" d="${areaPath(band[0], band[1], x, y)}"/>`}
${lines.map((l, i) => drawLine(l.points, i, x, y))}
</svg>${notes(chart)}</figure>`;
}

function gridLine(tick: number, y: Scale, box: typeof BOX): Html {
  const at = round(y.at(tick));
  return html`<line class="grid" x1="${box.left}" x2="${box.width - box.right}" y1="${at}" y2="${at}"/><text class="tick" x="${box.left - 6}" y="${round(at + 3.5)}" text-anchor="end">${formatTick(tick)}</text>`;
}

function drawLine(points: readonly Point[], index: number, x: Scale, y: Scale): Html {
  const path = points.map((p, i) => `${i === 0 ? "M" : "L"}${round(x.at(p.step))} ${round(y.at(p.value))}`).join("");
  const end = points.at(-1);
  return html`<path class="line l${index % LINE_COLOURS}" d="${path}"/>${end && html`<circle class="dot l${index % LINE_COLOURS}" cx="${round(x.at(end.step))}" cy="${round(y.at(end.value))}" r="2.5"/>`}`;
}

function areaPath(low: readonly Point[], high: readonly Point[], x: Scale, y: Scale): string {
  const at = (p: Point) => `${round(x.at(p.step))} ${round(y.at(p.value))}`;
  return `M${high.map(at).join("L")}L${[...low].reverse().map(at).join("L")}Z`;
}

function legend(lines: readonly { readonly label: string }[]): Html | false {
  return (
    lines.length > 1 &&
    html`<span class="legend">${lines.map((l, i) => html`<i class="l${i % LINE_COLOURS}"></i>${l.label} `)}</span>`
  );
}

function notes(chart: Chart): Html | false {
  const [{ series }] = chart.lines;
  const texts = [
    chart.note,
    series.stride > 1 ? `each point is the mean of ${series.stride} values` : undefined,
    series.nonFinite > 0 ? `not finite, not drawn: ${series.nonFinite} of the values` : undefined,
  ].filter((text) => text !== undefined);
  return texts.length > 0 && html`<figcaption>${texts.join("; ")}</figcaption>`;
}

const round = (value: number) => Math.round(value * 10) / 10;
const short = (value: number) => Number(value.toPrecision(5));

function formatTick(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6))
    return Number(value.toPrecision(3)).toExponential().replace("e+", "e");
  if (size >= 1e4) return `${Number((value / 1000).toPrecision(3))}k`;
  return String(Number(value.toPrecision(6)));
}
