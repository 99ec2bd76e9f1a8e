import type { Api, Curve, RunOverview, RunSummary } from "./api.js";
import { type ChartLine, chart } from "./chart.js";
import { el, field, notice, redraw, toggles } from "./dom.js";
import { colourOf } from "./runs-list.js";
import type { State } from "./state.js";

/** Charts of one request; a metric is asked for when its chart comes into view. */
const NAMES = 40;
const FILTERED = 60;

interface Panel {
  readonly title: string;
  /** With `…/min` and `…/max` beside it: both of them. */
  readonly band: readonly [low: string, high: string] | null;
  readonly name: string;
}

/** The curves of the chosen runs over each other. */
export class CurvesView {
  readonly element = el("section", { "aria-label": "Curves" });
  readonly #body = el("div");
  readonly #open = new Set<string>();
  /** By run and metric; emptied when a run has gone on. */
  #cache = new Map<string, Promise<ReadonlyMap<string, Curve>>>();
  #seen = "";
  #drawing = 0;

  constructor(
    private readonly api: Api,
    private readonly state: State,
  ) {}

  async update(runs: readonly RunSummary[]): Promise<void> {
    const { state } = this;
    const seen = [
      ...runs.map(({ id, updatedAt, lastStep }) => `${id} ${updatedAt} ${lastStep}`),
      state.get("from"),
      state.get("to"),
    ].join();
    if (seen !== this.#seen) this.#cache = new Map();
    this.#seen = seen;
    const ticket = ++this.#drawing;
    const overviews = await Promise.all(
      runs.map(({ id }) => this.api.get<RunOverview>(`runs/${encodeURIComponent(id)}`)),
    );
    const panels = panelsOf([...new Set(overviews.flatMap(({ metrics }) => metrics.map(({ name }) => name)))]);
    const keys = new Set(overviews.flatMap(({ metrics }) => metrics.filter(({ key }) => key).map(({ name }) => name)));
    const body = await this.#panels(runs, panels, keys);
    if (ticket !== this.#drawing) return;
    if (!this.#body.isConnected) this.element.replaceChildren(this.#toolbar(), this.#body);
    const left = overviews.reduce((sum, run) => sum + run.metricsLeftOut, 0);
    if (left > 0) body.push(notice("More metrics were logged than can be shown; metrics.jsonl holds all of them."));
    const names = runs.map(({ id, name }) => el("span", {}, el("i", { class: `l${colourOf(state, id) % 6}` }), name));
    redraw(this.#body, el("p", { class: "runs-legend" }, ...names), ...body);
  }

  async #panels(runs: readonly RunSummary[], panels: readonly Panel[], keys: ReadonlySet<string>): Promise<Node[]> {
    const filter = this.state.get("filter").toLowerCase();
    if (filter !== "") {
      const found = panels.filter(({ title }) => title.toLowerCase().includes(filter));
      const body: Node[] = [await this.#grid(runs, found.slice(0, FILTERED))];
      if (found.length === 0) body.push(notice("No metric of that name."));
      if (found.length > FILTERED) body.push(notice(`${found.length - FILTERED} further metrics match.`));
      return body;
    }
    const isScore = ({ name }: Panel) => name.startsWith("val-core/");
    const first = [...panels.filter(isScore), ...panels.filter(({ name }) => keys.has(name))].slice(0, 12);
    const body: Node[] = first.length > 0 ? [await this.#grid(runs, first)] : [notice("Nothing has been logged yet.")];
    const groups = new Map<string, Panel[]>();
    for (const panel of panels) {
      const prefix = panel.title.split("/", 1)[0];
      groups.set(prefix, [...(groups.get(prefix) ?? []), panel]);
    }
    for (const [prefix, own] of groups) body.push(await this.#group(runs, prefix, own));
    return body;
  }

  async #group(runs: readonly RunSummary[], prefix: string, panels: readonly Panel[]): Promise<HTMLElement> {
    const isOpen = this.#open.has(prefix);
    const details = el(
      "details",
      { class: "group", open: isOpen },
      el("summary", {}, prefix, el("small", {}, String(panels.length))),
    );
    if (isOpen) details.append(await this.#grid(runs, panels));
    details.addEventListener("toggle", async () => {
      if (!details.open) {
        this.#open.delete(prefix);
        return;
      }
      this.#open.add(prefix);
      if (details.childElementCount === 1) details.append(await this.#grid(runs, panels));
    });
    return details;
  }

  async #grid(runs: readonly RunSummary[], panels: readonly Panel[]): Promise<HTMLElement> {
    const names = panels.flatMap(({ name, band }) => [name, ...(band && runs.length === 1 ? band : [])]);
    const curves = await Promise.all(runs.map((run) => this.#curves(run.id, names)));
    const axis = this.state.get("axis") === "time" ? "time" : "step";
    const charts = panels.map((panel) => {
      const found = runs.map((run, i) => ({ run, own: curves[i] }));
      const lines = found.flatMap(({ run, own }) => this.#line(run, panel, own, axis, runs.length === 1) ?? []);
      return chart(lines, {
        title: panel.title,
        axis,
        log: this.state.get("log") === "1",
        smoothing: this.state.number("smooth", 0),
        notes: notesOf(
          found.flatMap(({ own }) => own.get(panel.name) ?? []),
          axis,
        ),
      });
    });
    return el("div", { class: "grid-charts" }, ...charts);
  }

  #line(
    run: RunSummary,
    panel: Panel,
    own: ReadonlyMap<string, Curve>,
    axis: "step" | "time",
    alone: boolean,
  ): ChartLine | null {
    const curve = own.get(panel.name);
    const x = axis === "time" ? curve?.seconds : curve?.steps;
    if (!curve || !x) return null;
    const [low, high] = (alone ? panel.band : null)?.map((name) => own.get(name)) ?? [];
    const band =
      low?.values.length === x.length && high?.values.length === x.length
        ? { low: low.values, high: high.values }
        : undefined;
    return { label: run.name, colour: colourOf(this.state, run.id), x, values: curve.values, band };
  }

  async #curves(id: string, names: readonly string[]): Promise<ReadonlyMap<string, Curve>> {
    const missing = names.filter((name) => !this.#cache.has(`${id} ${name}`));
    for (let i = 0; i < missing.length; i += NAMES) {
      const asked = missing.slice(i, i + NAMES);
      const range = { from: this.state.get("from"), to: this.state.get("to") };
      const answer = this.api
        .run<{ series: Curve[] }>(id, "metrics", { name: asked, ...range })
        .then(({ series }) => new Map(series.map((curve) => [curve.name, curve])));
      for (const name of asked) this.#cache.set(`${id} ${name}`, answer);
    }
    const found = new Map<string, Curve>();
    for (const name of names) {
      const curve = (await this.#cache.get(`${id} ${name}`))?.get(name);
      if (curve) found.set(name, curve);
    }
    return found;
  }

  #toolbar(): HTMLElement {
    const { state } = this;
    const bar = el("div", { class: "bar tools" });
    const draw = () => {
      const smoothing = state.number("smooth", 0);
      const slider = el("input", {
        type: "range",
        min: 0,
        max: 0.98,
        step: 0.02,
        value: smoothing,
        change: () => state.set({ smooth: Number(slider.value) === 0 ? "" : slider.value }),
      });
      redraw(
        bar,
        field("metrics", "search", state.get("filter"), (filter) => state.set({ filter })),
        el("label", { class: "field" }, el("span", {}, "smoothing"), slider),
        toggles(
          "Horizontal axis",
          [
            ["", "steps"],
            ["time", "time"],
          ],
          state.get("axis"),
          (axis) => state.set({ axis }),
        ),
        toggles(
          "Vertical axis",
          [
            ["", "linear"],
            ["1", "log"],
          ],
          state.get("log"),
          (log) => state.set({ log }),
        ),
        el(
          "span",
          { class: "pair" },
          field("from step", "number", state.get("from"), (from) => state.set({ from })),
          field("to", "number", state.get("to"), (to) => state.set({ to })),
        ),
      );
    };
    state.onChange((changed) => {
      if (["filter", "smooth", "axis", "log", "from", "to"].some((name) => changed.has(name))) draw();
    });
    draw();
    return bar;
  }
}

/** `x/mean` with `x/min` and `x/max` beside it is one chart. */
function panelsOf(names: readonly string[]): Panel[] {
  const all = new Set(names);
  return names.flatMap((name) => {
    const [, stem, part] = /^(.+)\/(mean|min|max)$/.exec(name) ?? [];
    const isWhole = stem !== undefined && ["mean", "min", "max"].every((other) => all.has(`${stem}/${other}`));
    // A curve of the step over the step tells nothing.
    if (name === "training/global_step" || (isWhole && part !== "mean")) return [];
    return [{ name, title: isWhole ? stem : name, band: isWhole ? ([`${stem}/min`, `${stem}/max`] as const) : null }];
  });
}

function notesOf(curves: readonly Curve[], axis: "step" | "time"): string[] {
  const stride = curves.reduce((most, curve) => Math.max(most, curve.stride), 1);
  const nonFinite = curves.reduce((sum, curve) => sum + curve.nonFinite, 0);
  const timeless = axis === "time" && curves.some(({ seconds }) => seconds === null);
  return [
    stride > 1 ? `a point is the mean of up to ${stride} values` : "",
    nonFinite > 0 ? `${nonFinite} values are not finite` : "",
    timeless ? "a run logged no times" : "",
  ].filter((text) => text !== "");
}
