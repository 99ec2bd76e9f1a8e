import { createHash } from "node:crypto";
import type { JsonValue } from "../../../core/plugin.js";
import { formatDuration } from "../format.js";
import { renderChart } from "./chart.js";
import { groupCharts } from "./chart-groups.js";
import { renderHeadline, renderMainCharts } from "./headline.js";
import { Html, html, scriptJson } from "./html.js";
import type { Sample } from "./sample-store.js";
import { SCRIPT } from "./script.js";
import type { SeriesStore } from "./series-store.js";
import { STYLE } from "./style.js";
import { renderValidationTable } from "./validation-table.js";

export interface Page {
  readonly projectName: string;
  readonly experimentName: string;
  readonly totalSteps: number;
  readonly status: "running" | "completed" | "stopped" | "failed";
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

/** The whole page. It loads nothing and runs one script, which a content policy names by its hash. */
export function renderPage(page: Page): string {
  const { store } = page;
  const policy = `default-src 'none'; style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.experimentName} · ${page.projectName}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${renderTop(page)}
${renderHeadline(store)}
${renderMainCharts(store)}
${renderValidationTable(store)}
${page.samples.length > 0 && html`<section><h2>Samples</h2><div id="browser"><noscript>Samples are shown by the page's script.</noscript></div></section>`}
<section><h2>All metrics</h2>
${groupCharts(store).map(({ prefix, charts }) => html`<details class="group"${FOLDED.has(prefix) ? null : new Html(" open")}><summary>${prefix}<small>${charts.length}</small></summary><div class="grid-charts">${charts.map(renderChart)}</div></details>`)}
${store.dropped > 0 && html`<p class="soft">More metrics were logged than this page shows; metrics.jsonl holds all of them.</p>`}
</section>
<section><h2>Configuration</h2><details><summary>the resolved configuration, secrets masked</summary><div class="panel"><pre>${JSON.stringify(page.config, null, 2)}</pre></div></details></section>
<footer>Written by verl-ts, ${page.updatedAt.toISOString().slice(0, 19).replace("T", " ")} UTC. This file is complete in itself: it loads nothing.</footer>
</main>
<script type="application/json" id="samples">${scriptJson(page.samples)}</script>
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`.text;
}

function renderTop(page: Page): Html {
  const { status, store, totalSteps, error } = page;
  return html`<header class="top"><div><h1>${page.experimentName}</h1><p>${page.projectName}</p></div>
<div><span class="state ${status}">${status}</span> <span class="soft">step ${store.lastStep} of ${totalSteps}, ${formatDuration(page.seconds)}</span></div></header>
${error !== null && html`<p class="error">${error}</p>`}`;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
