import type { Api, Plugin, RunSummary } from "./api.js";
import { el, notice, redraw } from "./dom.js";
import { colourOf } from "./runs-list.js";
import type { State } from "./state.js";

/** What the chosen runs had loaded, and what each plugin registered. */
export class PluginsView {
  readonly element = el("section", { "aria-label": "Plugins" });
  #shown = "";

  constructor(
    private readonly api: Api,
    private readonly state: State,
  ) {}

  async update(runs: readonly RunSummary[]): Promise<void> {
    const answers = await Promise.all(
      runs.map(({ id }) => this.api.run<{ version: string | null; plugins: Plugin[] | null }>(id, "plugins")),
    );
    const shown = JSON.stringify([runs.map(({ id, name }) => [id, name]), answers]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const parts = runs.map((run, i) => {
      const { version, plugins } = answers[i];
      const head = el(
        "h2",
        {},
        el("i", { class: `l${colourOf(this.state, run.id) % 6}` }),
        run.name,
        el("small", {}, version === null ? "" : ` verl-ts ${version}`),
      );
      if (!plugins) return el("div", {}, head, notice("The run recorded no plugins, as runs of earlier versions."));
      return el("div", {}, head, el("ul", { class: "tree" }, ...plugins.map(branch)));
    });
    redraw(this.element, ...parts);
  }
}

function branch(plugin: Plugin): HTMLElement {
  const kinds = new Map<string, string[]>();
  for (const { kind, key } of plugin.registered) kinds.set(kind, [...(kinds.get(kind) ?? []), key]);
  const facts = [
    plugin.source === "builtin" ? "built in" : plugin.source,
    plugin.status === "loaded" ? "" : plugin.status,
    plugin.hash?.slice(0, 14) ?? "",
  ];
  const summary = el(
    "summary",
    {},
    el("b", {}, `${plugin.name}@${plugin.version}`),
    el("small", {}, facts.filter(Boolean).join(", ")),
  );
  const leaves = [...kinds].map(([kind, keys]) => el("li", {}, el("span", { class: "kind" }, kind), keys.join(", ")));
  return el("li", {}, el("details", { open: plugin.source !== "builtin" }, summary, el("ul", {}, ...leaves)));
}
