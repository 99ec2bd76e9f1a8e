import type { RunSummary } from "../answers.js";

export type { Curve, RunSummary, ValidationRow } from "../answers.js";

/** What else the server answers; see the guide's page on the dashboard. */
export interface RunOverview extends RunSummary {
  readonly metrics: readonly {
    readonly name: string;
    readonly last: number | null;
    readonly step: number | null;
    readonly key: boolean;
  }[];
  readonly metricsLeftOut: number;
}

export interface Rollout {
  readonly id: number;
  readonly key: string;
  readonly step: number;
  readonly split: "train" | "val";
  readonly source: string;
  readonly prompt: string;
  readonly tokens: readonly string[];
  readonly mask: string;
  readonly logProbs: readonly (number | null)[] | null;
  readonly gaps: readonly (number | null)[] | null;
  readonly more: number;
  readonly truth: string;
  readonly score: number | null;
  readonly extra: readonly (readonly [string, string])[];
  readonly stop: string;
  readonly length: number;
  readonly gap: number | null;
}

export interface RolloutPage {
  readonly total: number;
  readonly matching: number;
  readonly meanScore: number | null;
  readonly steps: readonly number[];
  readonly splits: readonly string[];
  readonly stops: readonly string[];
  readonly sources: readonly string[];
  readonly items: readonly Rollout[];
  readonly badLines: number;
  readonly outside: boolean;
}

export interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly source: string;
}

export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly status: string;
  readonly hash: string | null;
  readonly registered: readonly { readonly kind: string; readonly key: string }[];
}

type Parameters = Readonly<Record<string, string | number | readonly string[] | null>>;

/** The server's data. Rejects with what people can read. */
export class Api {
  constructor(private readonly key: string | null) {}

  async get<T>(path: string, parameters: Parameters = {}): Promise<T> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      for (const item of Array.isArray(value) ? value : [value])
        if (item !== null && item !== "") query.append(name, String(item));
    }
    const headers: Record<string, string> = this.key === null ? {} : { authorization: `Bearer ${this.key}` };
    const text = String(query);
    const response = await fetch(`/api/${path}${text && "?"}${text}`, { headers }).catch(() => {
      throw new Error("The dashboard does not answer. Was it ended?");
    });
    const body = (await response.json().catch(() => null)) as {
      error?: { code: string; what: string; why?: string; fix?: string };
    } | null;
    if (response.ok && body !== null) return body as T;
    const { code, what, why, fix } = body?.error ?? {
      code: String(response.status),
      what: "The answer cannot be read.",
    };
    throw new Error([`${what} (${code})`, why, fix].filter(Boolean).join(" "));
  }

  run<T>(id: string, part: string, parameters: Parameters = {}): Promise<T> {
    return this.get(`runs/${encodeURIComponent(id)}/${part}`, parameters);
  }
}
