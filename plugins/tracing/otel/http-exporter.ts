import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";
import { type Logger, reasonOf } from "../../../core/plugin.js";
import { exportRequest, type ResourceAttributes } from "./otlp-json.js";

const TIMEOUT_MS = 10_000;
/** `ExportResultCode` of the SDK. */
const SUCCESS = 0;

/** Posts spans to a collector. What cannot be delivered is lost, with one warning for the first and one for all. */
export class HttpExporter implements SpanExporter {
  readonly #posts = new Set<Promise<void>>();
  #lost = 0;

  constructor(
    private readonly url: URL,
    private readonly options: {
      readonly headers: Readonly<Record<string, string>>;
      readonly resource: ResourceAttributes;
      readonly logger: Logger;
    },
  ) {}

  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    const post = this.#post(spans).then(() => {
      this.#posts.delete(post);
      // Of a loss nobody is to hear but by the warnings: the SDK would reject the end of the run.
      done({ code: SUCCESS });
    });
    this.#posts.add(post);
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#posts);
  }

  async shutdown(): Promise<void> {
    await this.forceFlush();
    if (this.#lost > 0) this.options.logger.warn(`${this.#lost} spans were not delivered to ${this.#place}`);
  }

  /** Without what may be a secret. */
  get #place(): string {
    return `${this.url.origin}${this.url.pathname}`;
  }

  async #post(spans: readonly ReadableSpan[]): Promise<void> {
    const { headers, resource, logger } = this.options;
    try {
      const response = await fetch(this.url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: exportRequest(spans, resource),
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`it answered ${response.status}`);
    } catch (error) {
      if (this.#lost === 0) logger.warn(`traces cannot be sent to ${this.#place}: ${withCause(error)}`);
      this.#lost += spans.length;
    }
  }
}

/** `fetch` says only that it failed; what the system said is its cause. */
function withCause(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  if (!(error instanceof Error) || cause === undefined || cause === null) return reasonOf(error);
  const said = reasonOf(cause) || (cause as { readonly code?: string }).code || "";
  return said === "" ? reasonOf(error) : `${reasonOf(error)} (${said})`;
}

/** Where spans go: the address as it is, or `/v1/traces` of a collector. @returns why it is none as a text */
export function tracesUrl(endpoint: string): URL | string {
  if (!URL.canParse(endpoint)) return "it is no URL";
  const url = new URL(endpoint);
  if (url.protocol !== "http:" && url.protocol !== "https:") return `its protocol is ${url.protocol}`;
  if (url.username !== "" || url.password !== "") return "it holds credentials, which belong in trace.headers";
  if (url.pathname === "/") url.pathname = "/v1/traces";
  return url;
}
