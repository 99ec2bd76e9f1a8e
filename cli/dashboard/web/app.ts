import { Api, type RunSummary } from "./api.js";
import { CompareView } from "./compare-view.js";
import { CurvesView } from "./curves-view.js";
import { el, notice, redraw } from "./dom.js";
import { PluginsView } from "./plugins-view.js";
import { RolloutsView } from "./rollouts-view.js";
import { runsList } from "./runs-list.js";
import { State } from "./state.js";
import { ValidationView } from "./validation-view.js";

const POLL_MS = 3000;
const IDLE_MS = 15_000;
/** Runs shown at first. */
const FIRST = 3;

const VIEWS = [
  ["curves", "Curves"],
  ["rollouts", "Rollouts"],
  ["validation", "Validation"],
  ["config", "Configuration"],
  ["plugins", "Plugins"],
] as const;

/** The key of an address that has one, kept for the session of this tab and taken out of the address. */
function takeKey(): string | null {
  const values = new URLSearchParams(location.hash.slice(1));
  const key = values.get("key");
  if (key === null) return sessionStorage.getItem("key");
  sessionStorage.setItem("key", key);
  values.delete("key");
  history.replaceState(null, "", `#${values}`);
  return key;
}

class App {
  readonly #api = new Api(takeKey());
  readonly #state = new State(location.hash, (hash) => history.replaceState(null, "", hash));
  readonly #views = {
    curves: new CurvesView(this.#api, this.#state),
    rollouts: new RolloutsView(this.#api, this.#state),
    validation: new ValidationView(this.#api, this.#state),
    config: new CompareView(this.#api, this.#state),
    plugins: new PluginsView(this.#api, this.#state),
  };
  readonly #list = el("div");
  readonly #tabs = el("nav", { class: "tabs", "aria-label": "Views" });
  readonly #trouble = el("div", { role: "alert" });
  readonly #main = el("main", { id: "main" });
  readonly #side = el(
    "details",
    { class: "side", open: matchMedia("(min-width: 901px)").matches },
    el("summary", {}, "Runs"),
  );
  readonly #version = el("small");
  #runs: readonly RunSummary[] = [];
  #known = "";
  #timer = 0;

  start(root: HTMLElement): void {
    const find = el("input", {
      type: "search",
      placeholder: "find a run",
      "aria-label": "Find a run",
      value: this.#state.get("find"),
      input: () => this.#state.set({ find: find.value }),
    });
    this.#side.append(find, this.#list);
    root.replaceChildren(
      el("header", { class: "head" }, el("h1", {}, "verl dashboard"), this.#version, this.#tabs),
      el("div", { class: "layout" }, this.#side, el("div", { class: "content" }, this.#trouble, this.#main)),
    );
    this.#state.onChange((changed) => {
      this.#drawFrame();
      if (!(changed.size === 1 && changed.has("find"))) void this.#drawView();
    });
    addEventListener("hashchange", () => this.#state.replace(location.hash));
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) void this.#poll();
    });
    void this.#poll();
  }

  async #poll(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const { version, runs } = await this.#api.get<{ version: string; runs: RunSummary[] }>("runs");
      this.#version.textContent = version;
      this.#runs = runs;
      if (this.#state.get("runs") === "" && this.#known === "" && runs.length > 0) this.#choose(runs);
      const known = JSON.stringify(runs);
      if (known !== this.#known) {
        this.#known = known;
        this.#drawFrame();
        await this.#drawView();
      } else this.#trouble.replaceChildren();
    } catch (error) {
      this.#complain(error);
    }
    const isLive = this.#runs.some(({ status, reading }) => status === "running" || reading);
    // A page that nobody looks at asks for nothing; it is woken when it is looked at again.
    if (!document.hidden) this.#timer = window.setTimeout(() => void this.#poll(), isLive ? POLL_MS : IDLE_MS);
  }

  /** The latest runs. */
  #choose(runs: readonly RunSummary[]): void {
    const latest = [...runs].sort((a, b) => ((a.updatedAt ?? "") < (b.updatedAt ?? "") ? 1 : -1)).slice(0, FIRST);
    const ids = new Set(latest.map(({ id }) => id));
    this.#known = "-";
    this.#state.set({
      runs: runs
        .filter(({ id }) => ids.has(id))
        .map(({ id }) => id)
        .join(","),
    });
  }

  #drawFrame(): void {
    const view = this.#view();
    redraw(
      this.#tabs,
      ...VIEWS.map(([name, text]) =>
        el(
          "button",
          {
            type: "button",
            id: `tab-${name}`,
            "aria-current": name === view ? "page" : null,
            click: () => this.#state.set({ view: name }),
          },
          text,
        ),
      ),
    );
    redraw(this.#list, runsList(this.#runs, this.#state));
  }

  async #drawView(): Promise<void> {
    const chosen = this.#state.list("runs").flatMap((id) => this.#runs.find((run) => run.id === id) ?? []);
    if (chosen.length === 0) {
      this.#main.replaceChildren(
        notice(this.#runs.length === 0 ? "There is no run to show yet." : "Tick a run to see it."),
      );
      return;
    }
    const view = this.#views[this.#view()];
    if (!view.element.isConnected) this.#main.replaceChildren(view.element);
    try {
      await view.update(chosen);
      this.#trouble.replaceChildren();
    } catch (error) {
      this.#complain(error);
    }
  }

  #view(): (typeof VIEWS)[number][0] {
    return VIEWS.find(([name]) => name === this.#state.get("view"))?.[0] ?? "curves";
  }

  #complain(error: unknown): void {
    this.#trouble.replaceChildren(el("p", { class: "error" }, error instanceof Error ? error.message : String(error)));
  }
}

const root = document.getElementById("app");
if (root) new App().start(root);
