import { formatValue } from "../../../core/tracking/format.js";
import type { Api, Rollout, RolloutPage, RunSummary } from "./api.js";
import { choice, el, field, notice, redraw, toggles } from "./dom.js";
import type { State } from "./state.js";
import { HEATS, type Heat, legend, tokenText } from "./tokens.js";

const PAGE = 10;
const ORDERS = [
  ["", "newest"],
  ["file", "as written"],
  ["worst", "lowest score"],
  ["best", "highest score"],
  ["gap", "largest gap"],
  ["longest", "longest"],
] as const;

/** The trajectories of one of the chosen runs. */
export class RolloutsView {
  readonly element = el("section", { "aria-label": "Rollouts" });
  readonly #tools = el("div", { class: "bar tools" });
  readonly #body = el("div");
  /** Cards that somebody opened or closed. */
  readonly #toggled = new Map<string, boolean>();
  #shown = "";
  #drawing = 0;

  constructor(
    private readonly api: Api,
    private readonly state: State,
  ) {}

  async update(runs: readonly RunSummary[]): Promise<void> {
    const { state } = this;
    const run = runs.find(({ id }) => id === state.get("run")) ?? runs[0];
    const ticket = ++this.#drawing;
    const offset = Math.max(0, state.number("offset", 0));
    const page = await this.api.run<RolloutPage>(run.id, "rollouts", {
      ...Object.fromEntries(
        ["step", "split", "stop", "source", "min", "max", "order"].map((name) => [name, state.get(name)]),
      ),
      offset,
      limit: PAGE,
    });
    if (ticket !== this.#drawing) return;
    const heat = this.#heat(page);
    const shown = JSON.stringify([run.id, runs.map(({ id }) => id), page, heat]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    if (!this.#body.isConnected) this.element.replaceChildren(this.#tools, this.#body);
    redraw(this.#tools, ...this.#filters(runs, run, page));
    redraw(
      this.#body,
      el(
        "div",
        { class: "bar" },
        toggles("Colour tokens by", HEATS, heat, (value) => state.set({ heat: value })),
        legend(heat),
      ),
      ...this.#notes(page),
      ...page.items.map((item, i) => this.#card(run, item, heat, this.#toggled.get(`${run.id} ${item.id}`) ?? i === 0)),
      this.#pager(page, offset),
    );
  }

  #heat({ items }: RolloutPage): Heat {
    const asked = HEATS.find(([value]) => value === this.state.get("heat"))?.[0];
    return asked ?? (items.some(({ logProbs }) => logProbs !== null) ? "probability" : "mask");
  }

  #filters(runs: readonly RunSummary[], run: RunSummary, page: RolloutPage): Node[] {
    const { state } = this;
    const set = (name: string) => (value: string) => state.set({ [name]: value, offset: "" });
    const any = (values: readonly (string | number)[]) => [
      ["", "any"] as const,
      ...values.map((v) => [String(v), String(v)] as const),
    ];
    const steps = page.steps.length > 500 ? page.steps.slice(-500) : page.steps;
    const fields = [
      runs.length > 1
        ? choice(
            "run",
            runs.map(({ id, name }) => [id, name] as const),
            run.id,
            set("run"),
          )
        : null,
      choice(
        "split",
        [
          ["", "any"],
          ["train", "training"],
          ["val", "validation"],
        ],
        state.get("split"),
        set("split"),
      ),
      choice("step", any([...steps].reverse()), state.get("step"), set("step")),
      choice("stopped by", any(page.stops), state.get("stop"), set("stop")),
      page.sources.length > 1 ? choice("source", any(page.sources), state.get("source"), set("source")) : null,
      el(
        "span",
        { class: "pair" },
        field("score from", "number", state.get("min"), set("min")),
        field("to", "number", state.get("max"), set("max")),
      ),
      choice("order", ORDERS, state.get("order"), set("order")),
    ];
    return fields.filter((one) => one !== null);
  }

  #notes(page: RolloutPage): HTMLElement[] {
    const notes: HTMLElement[] = [];
    if (page.outside) {
      notes.push(
        notice(
          "This run's dumps lie outside the folders that are shown. Start the dashboard with their folder as well to see them.",
        ),
      );
    }
    if (page.badLines > 0) notes.push(notice(`${page.badLines} lines could not be read and are left out.`));
    if (page.total === 0)
      notes.push(notice("This run kept no trajectories: its tracker jsonl was off, and no dump was asked for."));
    else if (page.matching === 0) notes.push(notice("No trajectory matches."));
    return notes;
  }

  #pager({ matching, total, meanScore }: RolloutPage, offset: number): HTMLElement {
    const go = (to: number) => () => {
      this.state.set({ offset: to <= 0 ? "" : String(to) });
      this.element.scrollIntoView();
    };
    const last = Math.min(matching, offset + PAGE);
    const mean = meanScore === null ? "" : `, mean score ${formatValue(meanScore)}`;
    const of = matching === total ? String(total) : `${matching} (of ${total})`;
    return el(
      "nav",
      { class: "bar pager", "aria-label": "Pages" },
      el("button", { type: "button", disabled: offset === 0, click: go(offset - PAGE) }, "← back"),
      el("span", { class: "soft" }, matching === 0 ? "0" : `${offset + 1}–${last} of ${of}${mean}`),
      el("button", { type: "button", disabled: last >= matching, click: go(offset + PAGE) }, "on →"),
    );
  }

  #card(run: RunSummary, item: Rollout, heat: Heat, open: boolean): HTMLElement {
    const line = item.tokens.slice(0, 80).join("").trim().replace(/\s+/g, " ");
    const facts = [
      `step ${item.step}`,
      item.split === "val" ? "validation" : "training",
      item.source,
      `${item.length} tokens`,
      `stop ${item.stop}`,
    ];
    if (item.gap !== null) facts.push(`gap ${formatValue(item.gap)}`);
    const details = el(
      "details",
      { class: "card" },
      el(
        "summary",
        {},
        score(item.score),
        el("span", { class: "first" }, line || "(empty)"),
        el("small", {}, facts.join(", ")),
      ),
    );
    const build = () => {
      if (details.childElementCount === 1) details.append(this.#trajectory(run, item, heat));
    };
    details.addEventListener("toggle", () => {
      this.#toggled.set(`${run.id} ${item.id}`, details.open);
      if (details.open) build();
    });
    if (open) {
      build();
      details.open = true;
    }
    return details;
  }

  #trajectory(run: RunSummary, item: Rollout, heat: Heat): HTMLElement {
    const body = el("div", { class: "body" });
    const draw = (rollout: Rollout) => {
      const response = el("div", {}, el("h5", {}, "Response"), tokenText(rollout, heat));
      if (rollout.more > 0) {
        const button = el("button", { type: "button" }, `show the other ${rollout.more} tokens`);
        button.addEventListener("click", async () => {
          button.disabled = true;
          try {
            draw(await this.api.run<Rollout>(run.id, `rollouts/${rollout.id}`));
          } catch (error) {
            button.replaceWith(notice(error instanceof Error ? error.message : String(error)));
          }
        });
        response.append(el("div", { class: "bar" }, button));
      }
      const facts: [string, string][] = [
        ["key", rollout.key],
        ["truth", rollout.truth],
        ...rollout.extra.map(([name, value]): [string, string] => [name, value]),
      ];
      body.replaceChildren(
        el("h5", {}, "Prompt"),
        el("pre", { class: "prompt" }, rollout.prompt),
        response,
        el(
          "dl",
          {},
          ...facts
            .filter(([, value]) => value !== "")
            .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
        ),
      );
    };
    draw(item);
    return body;
  }
}

function score(value: number | null): HTMLElement {
  const kind = value === null ? "" : value >= 1 ? " one" : value <= 0 ? " zero" : "";
  return el("span", { class: `score${kind}`, title: "score" }, value === null ? "–" : formatValue(value));
}
