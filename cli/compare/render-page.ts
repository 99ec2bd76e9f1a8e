import { BoundedSeries, html, renderChart, renderDocument } from "../../core/tracking/index.js";
import type { Comparison } from "./comparison.js";
import { comparisonText } from "./render-text.js";

/** The comparison as a page that is complete in itself: each metric of any run as one chart. */
export function comparisonPage(comparison: Comparison): string {
  const { runs, metrics, scores } = comparison;
  const first = [...scores, ...metrics].map(({ name }) => name);
  const others = [...new Set(runs.flatMap(({ series }) => [...series.keys()]))].filter(
    (name) => !first.includes(name) && name !== "training/global_step",
  );
  const charts = (names: readonly string[], large: boolean) =>
    names.map((name) =>
      renderChart({
        title: name,
        large,
        lines: runs.flatMap((run) => {
          const series = new BoundedSeries();
          for (const { step, value } of run.series.get(name) ?? []) series.push(step, value);
          return run.series.has(name) ? [{ label: run.name, series }] : [];
        }),
      }),
    );
  const title = runs.map(({ name }) => name).join(" · ");
  const body = html`<header class="top"><div><h1>${title}</h1></div></header>
<div class="panel"><pre>${comparisonText(comparison, false)}</pre></div>
<section><h2>Curves</h2><div class="main">${charts(first, true)}</div></section>
<details class="group"><summary>All other metrics<small>${others.length}</small></summary><div class="grid-charts">${charts(others, false)}</div></details>`;
  return renderDocument({ title, body, writtenAt: new Date() });
}
