import { dashboardErrors } from "./errors.js";

/** The parameters of a request; what does not fit is `VERL_DASHBOARD_BAD_REQUEST`, and so is a name that nothing reads. */
export class Query {
  readonly #read = new Set<string>();

  constructor(private readonly params: URLSearchParams) {}

  text(name: string): string | null {
    this.#read.add(name);
    const values = this.params.getAll(name);
    if (values.length > 1) throw wrong(name, "it may stand there once");
    return values[0] === undefined || values[0] === "" ? null : values[0];
  }

  all(name: string, atMost: number): string[] {
    this.#read.add(name);
    const values = [...new Set(this.params.getAll(name))];
    if (values.length > atMost) throw wrong(name, `it may stand there ${atMost} times`);
    return values;
  }

  number(name: string): number | null {
    const text = this.text(name);
    if (text === null) return null;
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value)) throw wrong(name, "it must be a number");
    return value;
  }

  integer(name: string, low: number, high: number, otherwise: number): number {
    const value = this.number(name) ?? otherwise;
    if (!Number.isInteger(value) || value < low || value > high) {
      throw wrong(name, `it must be a whole number from ${low} to ${high}`);
    }
    return value;
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T | null {
    const text = this.text(name);
    if (text === null) return null;
    return choices.find((choice) => choice === text) ?? refuse(name, choices);
  }

  /** To be called when everything was asked for. */
  end(): void {
    for (const name of this.params.keys())
      if (!this.#read.has(name)) throw wrong(name, `there are ${[...this.#read].join(", ") || "no parameters"}`);
  }
}

function refuse(name: string, choices: readonly string[]): never {
  throw wrong(name, `it must be one of ${choices.join(", ")}`);
}

const wrong = (name: string, why: string) =>
  dashboardErrors.VERL_DASHBOARD_BAD_REQUEST({
    what: `The parameter ${JSON.stringify(name.slice(0, 64))} cannot be understood.`,
    why,
  });
