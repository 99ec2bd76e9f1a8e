import { formatValue } from "../../../core/tracking/format.js";
import type { RunSummary } from "./api.js";
import { spark } from "./chart.js";
import { el, notice } from "./dom.js";
import type { State } from "./state.js";

/** Colours by the order in which runs were chosen. */
export const colourOf = (state: State, id: string): number => Math.max(0, state.list("runs").indexOf(id)) % 12;

/** The runs with their last values; a tick puts one into what is shown. */
export function runsList(runs: readonly RunSummary[], state: State): HTMLElement {
  const wanted = state.get("find").toLowerCase();
  const shown = runs.filter(({ name }) => name.toLowerCase().includes(wanted));
  const list = el("ul", { class: "runs" }, ...shown.map((run) => entry(run, state)));
  if (runs.length === 0)
    list.append(el("li", {}, notice("No run here yet. A run appears as soon as it logs something.")));
  else if (shown.length === 0) list.append(el("li", {}, notice("No run of that name.")));
  return list;
}

function entry(run: RunSummary, state: State): HTMLElement {
  const chosen = state.list("runs");
  const isChosen = chosen.includes(run.id);
  const toggle = () => {
    const next = isChosen ? chosen.filter((id) => id !== run.id) : [...chosen, run.id];
    state.set({ runs: next.join(",") });
  };
  const box = el("input", { type: "checkbox", id: `run-${run.id}`, checked: isChosen, change: toggle });
  const [main] = run.headline;
  const step =
    run.lastStep === null
      ? "nothing logged"
      : `step ${run.lastStep}${run.totalSteps === null ? "" : ` of ${run.totalSteps}`}`;
  const problems = [
    run.problem,
    run.badLines > 0 ? `${run.badLines} unreadable line${run.badLines === 1 ? "" : "s"}` : null,
    run.reading ? "still reading…" : null,
  ].filter((text) => text !== null);
  return el(
    "li",
    { class: isChosen ? "chosen" : "" },
    box,
    el(
      "label",
      { for: `run-${run.id}`, title: run.name },
      el("span", { class: "name" }, isChosen ? el("i", { class: `l${colourOf(state, run.id) % 6}` }) : null, run.name),
      el("span", { class: "facts" }, el("span", { class: `status ${run.status}` }, run.status), `, ${step}`),
      main
        ? el(
            "span",
            { class: "value", title: main.name },
            spark(main.spark, isChosen ? colourOf(state, run.id) : null),
            el("b", {}, formatValue(main.last)),
            el("small", {}, shortName(main)),
          )
        : null,
      ...problems.map((text) => el("span", { class: "problem" }, text)),
    ),
  );
}

const shortName = ({ kind, name }: RunSummary["headline"][number]) =>
  kind === "validation" ? name.replace(/^val-core\//, "") : kind;
