import type { JsonValue } from "../../../core/plugin.js";
import {
  formatDuration,
  Html,
  html,
  reachedText,
  renderChart,
  renderDocument,
  SAMPLE_BROWSER,
  type Sample,
  type SeriesStore,
} from "../../../core/tracking/index.js";
import { groupCharts } from "./chart-groups.js";
import { renderHeadline, renderMainCharts } from "./headline.js";
import { renderValidationTable } from "./validation-table.js";

export interface Page {
  readonly projectName: string;
  readonly experimentName: string;
  readonly totalSteps: number;
  readonly status: "running" | "completed" | "stopped" | "failed";
  /** Step that was worked on last. */
  readonly begunStep: number;
  readonly error: string | null;
  readonly seconds: number;
  readonly updatedAt: Date;
  readonly store: SeriesStore;
  readonly samples: readonly Sample[];
  readonly config: JsonValue;
}

/** Prefixes whose charts are folded away at first. */
const FOLDED = new Set([
  "val-aux",
  "prompt_length",
  "response_length_non_aborted",
  "global_seqlen",
  "timing_s",
  "timing_per_token_ms",
]);

/** The page of a run. */
export function renderPage(page: Page): string {
  const { store, samples } = page;
  const body = html`${renderTop(page)}
${renderHeadline(store)}
${renderMainCharts(store)}
${renderValidationTable(store)}
${samples.length > 0 && SAMPLE_BROWSER}
<section><h2>All metrics</h2>
${groupCharts(store).map(({ prefix, charts }) => html`<details class="group"${FOLDED.has(prefix) ? null : new Html(" open")}><summary>${prefix}<small>${charts.length}</small></summary><div class="grid-charts">${charts.map(renderChart)}</div></details>`)}
${store.dropped > 0 && html`<p class="soft">More metrics were logged than this page shows; metrics.jsonl holds all of them.</p>`}
</section>
<section><h2>Configuration</h2><details><summary>the resolved configuration, secrets masked</summary><div class="panel"><pre>${JSON.stringify(page.config, null, 2)}</pre></div></details></section>`;
  const title = `${page.experimentName} · ${page.projectName}`;
  return renderDocument({ title, body, samples, writtenAt: page.updatedAt });
}

function renderTop(page: Page): Html {
  const { status, store, totalSteps, error, begunStep } = page;
  const reached =
    status === "failed"
      ? reachedText({ logged: store.lastStep, begun: begunStep, total: totalSteps })
      : `step ${store.lastStep} of ${totalSteps}`;
  return html`<header class="top"><div><h1>${page.experimentName}</h1><p>${page.projectName}</p></div>
<div><span class="state ${status}">${status}</span> <span class="soft">${reached}, ${formatDuration(page.seconds)}</span></div></header>
${error !== null && html`<p class="error">${error}</p>`}`;
}
