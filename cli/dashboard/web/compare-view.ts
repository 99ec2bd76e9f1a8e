import type { Api, RunSummary, Setting } from "./api.js";
import { el, field, notice, redraw, toggles } from "./dom.js";
import { colourOf } from "./runs-list.js";
import type { State } from "./state.js";

interface Differences {
  readonly kept: readonly boolean[];
  readonly settings: readonly {
    readonly key: string;
    readonly values: readonly ({ readonly value: unknown } | null)[];
  }[];
}

/** What the chosen runs were set to: where they differ, and all of one of them. */
export class CompareView {
  readonly element = el("section", { "aria-label": "Configuration" });
  readonly #top = el("div");
  readonly #tools = el("div", { class: "bar tools" });
  readonly #body = el("div");
  readonly #toggled = new Map<string, boolean>();
  #drawing = 0;

  constructor(
    private readonly api: Api,
    private readonly state: State,
  ) {}

  async update(runs: readonly RunSummary[]): Promise<void> {
    const ticket = ++this.#drawing;
    const [differences, ...configs] = await Promise.all([
      runs.length > 1 ? this.api.get<Differences>("differences", { run: runs.map(({ id }) => id) }) : null,
      ...runs.map(({ id }) => this.api.run<{ settings: Setting[] | null }>(id, "config")),
    ]);
    if (ticket !== this.#drawing) return;
    if (!this.#body.isConnected) this.element.replaceChildren(this.#top, this.#tools, this.#body);
    const top = differences ? [el("h2", {}, "Differences"), this.#differences(runs, differences)] : [];
    redraw(this.#top, ...top, el("h2", {}, "Values"));
    redraw(this.#tools, ...this.#toolbar());
    const parts = runs.map((run, i) => {
      const { settings } = configs[i];
      const summary = el("summary", {}, el("i", { class: `l${colourOf(this.state, run.id) % 6}` }), run.name);
      const body = settings ? this.#values(settings) : notice("This run kept no configuration.");
      const isOpen = this.#toggled.get(run.id) ?? i === 0;
      const details = el("details", { class: "group", open: isOpen }, summary, body);
      details.addEventListener("toggle", () => this.#toggled.set(run.id, details.open));
      return details;
    });
    redraw(this.#body, ...parts);
  }

  #differences(runs: readonly RunSummary[], { kept, settings }: Differences): HTMLElement {
    if (!kept[0]) return notice("The first of the runs kept no configuration to compare with.");
    if (settings.length === 0) return notice("The configurations are equal.");
    const head = runs.map((run) =>
      el("th", { scope: "col" }, el("i", { class: `l${colourOf(this.state, run.id) % 6}` }), run.name),
    );
    const rows = settings.map(({ key, values }) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, key),
        ...values.map((found) => el("td", {}, found ? shown(found.value) : "–")),
      ),
    );
    return el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { class: "texts" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "key"), ...head)),
        el("tbody", {}, ...rows),
      ),
    );
  }

  #toolbar(): HTMLElement[] {
    const { state } = this;
    return [
      field("keys", "search", state.get("keys"), (keys) => state.set({ keys })),
      toggles(
        "Which values",
        [
          ["", "set by somebody"],
          ["1", "all"],
        ],
        state.get("all"),
        (all) => state.set({ all }),
      ),
    ];
  }

  #values(settings: readonly Setting[]): HTMLElement {
    const wanted = this.state.get("keys").toLowerCase();
    const all = this.state.get("all") === "1" || wanted !== "";
    const found = settings.filter(
      ({ key, source }) => (all || source !== "default") && key.toLowerCase().includes(wanted),
    );
    if (found.length === 0)
      return notice(wanted === "" ? "Everything was left at its default." : "No key of that name.");
    const rows = found.map(({ key, value, source }) =>
      el("tr", {}, el("th", { scope: "row" }, key), el("td", {}, shown(value)), el("td", { class: "soft" }, source)),
    );
    const head = ["key", "value", "set by"].map((text) => el("th", { scope: "col" }, text));
    return el(
      "div",
      { class: "scroll" },
      el("table", { class: "texts" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)),
    );
  }
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
