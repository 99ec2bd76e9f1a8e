import { formatValue } from "../../../core/tracking/format.js";
import type { Api, RunSummary, ValidationRow } from "./api.js";
import { el, notice, redraw } from "./dom.js";
import { colourOf } from "./runs-list.js";
import type { State } from "./state.js";

/** Validation metrics of the chosen runs, side by side. */
export class ValidationView {
  readonly element = el("section", { "aria-label": "Validation" });
  #drawing = 0;
  #isOpen = false;

  constructor(
    private readonly api: Api,
    private readonly state: State,
  ) {}

  async update(runs: readonly RunSummary[]): Promise<void> {
    const ticket = ++this.#drawing;
    const answers = await Promise.all(runs.map(({ id }) => this.api.run<{ rows: ValidationRow[] }>(id, "validation")));
    if (ticket !== this.#drawing) return;
    const rows = answers.map((answer) => new Map(answer.rows.map((row) => [row.name, row])));
    const names = [...new Set(rows.flatMap((own) => [...own.keys()]))];
    const core = names.filter((name) => name.startsWith("val-core/"));
    const others = names.filter((name) => !name.startsWith("val-core/"));
    const parts: Node[] = [];
    if (names.length === 0) parts.push(notice("These runs have not validated yet."));
    if (core.length > 0) parts.push(this.#table(core, runs, rows));
    if (rows.some((own) => [...own.values()].some(({ interval }) => interval !== null))) {
      parts.push(
        notice("± is a 95 % interval over prompts: how far another draw of prompts and answers would have led."),
      );
    }
    if (others.length > 0) {
      const details = el(
        "details",
        { class: "group", open: this.#isOpen },
        el("summary", {}, "further metrics", el("small", {}, String(others.length))),
      );
      details.append(this.#table(others, runs, rows));
      details.addEventListener("toggle", () => {
        this.#isOpen = details.open;
      });
      parts.push(details);
    }
    const look = el(
      "button",
      { type: "button", click: () => this.state.set({ view: "rollouts", split: "val", offset: "", step: "" }) },
      "look at validation samples",
    );
    if (names.length > 0) parts.push(el("div", { class: "bar" }, look));
    redraw(this.element, ...parts);
  }

  #table(
    names: readonly string[],
    runs: readonly RunSummary[],
    rows: readonly ReadonlyMap<string, ValidationRow>[],
  ): HTMLElement {
    const head = ["metric", "run", "first", "highest", "latest", "change"].map((text) =>
      el("th", { scope: "col" }, text),
    );
    const bodies = names.map((name) => {
      const found = runs.flatMap((run, i) => {
        const row = rows[i].get(name);
        return row ? [{ run, row }] : [];
      });
      const lines = found.map(({ run, row }, i) => {
        const metric = el("th", { scope: "rowgroup", rowspan: found.length }, name.slice(name.indexOf("/") + 1));
        const label = el("td", { class: "run" }, el("i", { class: `l${colourOf(this.state, run.id) % 6}` }), run.name);
        return el("tr", {}, i === 0 ? metric : null, label, ...cells(row));
      });
      return el("tbody", {}, ...lines);
    });
    return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ...head)), ...bodies));
  }
}

function cells({ first, highest, last, interval }: ValidationRow): HTMLElement[] {
  const at = ({ step, value }: ValidationRow["first"], around = "") =>
    el("td", {}, `${formatValue(value)}${around}`, el("small", {}, ` step ${step}`));
  const change = last.value - first.value;
  const kind = change > 0 ? "up" : change < 0 ? "down" : "";
  return [
    at(first),
    at(highest),
    at(last, interval === null ? "" : ` ± ${formatValue(interval)}`),
    el("td", { class: kind }, `${change > 0 ? "+" : ""}${formatValue(change)}`),
  ];
}
