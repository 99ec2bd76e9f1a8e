import { appendFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { makeFolder } from "../../../core/host/index.js";
import { type Logger, reasonOf } from "../../../core/plugin.js";
import { exportRequest, type ResourceAttributes } from "./otlp-json.js";

/** Spans of one line, and how long the first of them waits for others. */
const BATCH = 256;
const DELAY_MS = 500;
/** A disk that does not keep up must not take the memory. */
const MOST_WAITING = 50_000;

/** Appends ended spans to a file, an export per line. A file that cannot be written is a warning, once. */
export class SpanFileProcessor implements SpanProcessor {
  #waiting: ReadableSpan[] = [];
  #unwritten = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void>;
  #failed = false;
  #dropped = 0;

  constructor(
    private readonly file: string,
    private readonly options: {
      readonly resource: ResourceAttributes;
      /** Go on with what the file holds. */
      readonly append: boolean;
      readonly logger: Logger;
    },
  ) {
    this.#writing = this.#attempt(async () => {
      await makeFolder(path.dirname(file));
      await writeFile(file, "", { flag: options.append ? "a" : "w" });
    });
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#failed || this.#unwritten >= MOST_WAITING) {
      this.#dropped++;
      return;
    }
    this.#unwritten++;
    this.#waiting.push(span);
    if (this.#waiting.length >= BATCH) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), DELAY_MS).unref();
  }

  async forceFlush(): Promise<void> {
    this.#write();
    await this.#writing;
  }

  async shutdown(): Promise<void> {
    await this.forceFlush();
    if (this.#dropped > 0) this.options.logger.warn(`${this.#dropped} spans are not in ${this.file}`);
  }

  #write(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const spans = this.#waiting;
    this.#waiting = [];
    if (spans.length === 0) return;
    const line = `${exportRequest(spans, this.options.resource)}\n`;
    const before = this.#writing;
    this.#writing = before
      .then(() => this.#attempt(() => appendFile(this.file, line)))
      .then(() => {
        this.#unwritten -= spans.length;
      });
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    if (this.#failed) return;
    try {
      await work();
    } catch (error) {
      this.#failed = true;
      this.options.logger.warn(`traces cannot be written to ${this.file}: ${reasonOf(error)}`);
    }
  }
}
