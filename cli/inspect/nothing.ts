import type { ErrorDetails, VerlError } from "../../core/host/basics.js";
import { cliErrors } from "../errors.js";

/** What a file holds, told apart as filters do. */
export interface Facts {
  readonly step: number | null;
  readonly split: "train" | "val" | null;
  /** Key of a trajectory, or of a session. */
  readonly uid: string | null;
  readonly source: string | null;
  readonly stop: string | null;
}

/** The options, as the user wrote them; null: not asked for. */
export type Filters = Readonly<Record<keyof Facts, string | null>>;

interface Kind {
  /** `trajectory`, `trace`. */
  readonly name: string;
  readonly place: string;
  /** How all of them are shown. */
  readonly list: string;
  /** How the error is coded; as a place that holds nothing by default. */
  readonly coded?: (details: ErrorDetails) => VerlError;
}

/** So many names are listed of those that there are. */
const SHOWN = 4;
/** So many different ones are remembered. */
const REMEMBERED = 1000;

const NAMES = Object.keys({ step: 0, split: 0, uid: 0, source: 0, stop: 0 } satisfies Record<keyof Facts, 0>);

/** Finds out why filters leave nothing, by a second look at everything. */
export class NothingFound {
  /** How many meet all filters. */
  matching = 0;
  #total = 0;
  readonly #matching = new Map<string, number>();
  readonly #values = new Map<string, Set<string>>();
  #steps: [first: number, last: number] | null = null;

  constructor(
    private readonly filters: Filters,
    private readonly isWithinSteps: (step: number) => boolean,
  ) {}

  see(facts: Facts): void {
    this.#total++;
    const { step } = facts;
    if (step !== null)
      this.#steps = [Math.min(this.#steps?.[0] ?? step, step), Math.max(this.#steps?.[1] ?? step, step)];
    let meetsAll = true;
    for (const name of NAMES as (keyof Facts)[]) {
      const wanted = this.filters[name];
      if (wanted === null) continue;
      if (this.#matches(facts, name, wanted)) this.#matching.set(name, (this.#matching.get(name) ?? 0) + 1);
      else meetsAll = false;
      this.#remember(name, facts[name]);
    }
    if (meetsAll) this.matching++;
  }

  /** A mistake, not an empty answer. */
  error({ name, place, list, coded = cliErrors.VERL_CLI_NOTHING_TO_INSPECT }: Kind): VerlError {
    const asked = (NAMES as (keyof Facts)[]).filter((filter) => this.filters[filter] !== null);
    const where = place;
    if (this.#total === 0) {
      return coded({
        what: `There is no ${name} yet.`,
        where,
        why: "the run was ended before it wrote one that is whole, or has only begun",
        fix: "Look again when the run has done a step.",
      });
    }
    const missing = asked.filter((filter) => !this.#matching.has(filter));
    if (missing.length > 0) {
      return coded({
        what: missing.map((filter) => `There is no ${name} ${this.#worded(filter)}.`).join(" "),
        where,
        why: missing.map((filter) => this.#there(filter)).join(" "),
        fix: `${list} shows all that there are.`,
      });
    }
    return coded({
      what: `There is no ${name} that meets all of ${asked.map((filter) => this.#option(filter)).join(", ")}.`,
      where,
      why: `By itself ${asked.map((filter) => `${this.#option(filter)} finds ${this.#matching.get(filter)}`).join(", ")}.`,
      fix: "Leave one of them out.",
    });
  }

  #matches(facts: Facts, name: keyof Facts, wanted: string): boolean {
    if (name === "step") return facts.step !== null && this.isWithinSteps(facts.step);
    if (name === "uid") return facts.uid?.startsWith(wanted) === true;
    return facts[name] === wanted;
  }

  #remember(name: keyof Facts, value: Facts[keyof Facts]): void {
    if (value === null || name === "step") return;
    const known = this.#values.get(name) ?? new Set<string>();
    this.#values.set(name, known);
    // Of keys it is the prompts that are worth naming: those that contain what was asked for come first.
    const text = name === "uid" ? String(value).split("_")[0] : String(value);
    if (known.size < REMEMBERED || (name === "uid" && text.includes(this.filters.uid ?? ""))) known.add(text);
  }

  #option(name: keyof Facts): string {
    return `--${name} ${this.filters[name]}`;
  }

  #worded(name: keyof Facts): string {
    const value = this.filters[name];
    if (name === "uid") return `whose key begins with ${value}`;
    if (name === "stop") return `that ended by ${value}`;
    return `of ${name === "step" ? "step" : `the ${name}`} ${value}`;
  }

  #there(name: keyof Facts): string {
    if (name === "step") {
      if (!this.#steps) return "None of them belongs to a step.";
      const [first, last] = this.#steps;
      return first === last ? `All are of step ${first}.` : `The steps that there are lie from ${first} to ${last}.`;
    }
    const wanted = this.filters[name] ?? "";
    const all = [...(this.#values.get(name) ?? [])];
    const near = all.filter((value) => value.includes(wanted));
    const listed = [...near, ...all.filter((value) => !near.includes(value))];
    if (listed.length === 0) return `None of them says its ${name}.`;
    const more = listed.length > SHOWN ? ", …" : "";
    const what = { uid: "Keys begin with", split: "There are", source: "There are the sources", stop: "There are" }[
      name
    ];
    return `${what} ${listed
      .slice(0, SHOWN)
      .map((value) => value.slice(0, 200))
      .join(", ")}${more}.`;
  }
}
