import type { Point, SeriesStore } from "../../../core/tracking/index.js";
import { formatValue, type Html, html } from "../../../core/tracking/index.js";

/** First, best and latest value of every validation metric; the core ones in sight, the others on demand. */
export function renderValidationTable(store: SeriesStore): Html | null {
  const names = store.names();
  const core = names.filter((name) => name.startsWith("val-core/"));
  const aux = names.filter((name) => name.startsWith("val-aux/"));
  if (core.length + aux.length === 0) return null;
  return html`<section><h2>Validation</h2>${core.length > 0 && table(core, store)}${
    aux.length > 0 && html`<details><summary>${aux.length} further metrics</summary>${table(aux, store)}</details>`
  }</section>`;
}

function table(names: readonly string[], store: SeriesStore): Html {
  const rows = names.map((name) => {
    const series = store.get(name);
    const change = series?.first && series.last ? series.last.value - series.first.value : null;
    return html`<tr><th scope="row">${name.slice(name.indexOf("/") + 1)}</th>${[series?.first, series?.max, series?.last].map(cell)}<td class="${change === null || change === 0 ? "" : change > 0 ? "up" : "down"}">${change === null ? "–" : `${change > 0 ? "+" : ""}${formatValue(change)}`}</td></tr>`;
  });
  return html`<div class="scroll"><table><thead><tr><th scope="col">metric</th><th scope="col">first</th><th scope="col">highest</th><th scope="col">latest</th><th scope="col">change</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function cell(point: Point | null | undefined): Html {
  return point ? html`<td>${formatValue(point.value)} <small>step ${point.step}</small></td>` : html`<td>–</td>`;
}
