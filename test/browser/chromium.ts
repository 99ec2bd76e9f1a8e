import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable, Writable } from "node:stream";

type Json = Record<string, unknown>;

/** Where a browser is looked for. */
const NAMES = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"];

export interface PageSettings {
  readonly width: number;
  readonly height: number;
  readonly dark: boolean;
}

/** A headless Chromium, spoken to over two pipes: no port, no further package. */
export class Chromium implements AsyncDisposable {
  #next = 1;
  readonly #waiting = new Map<number, { resolve(value: Json): void; reject(error: Error): void }>();
  readonly #listeners = new Set<(method: string, params: Json, session: unknown) => void>();

  private constructor(
    private readonly child: ChildProcess,
    private readonly profile: string,
  ) {
    let rest = "";
    (child.stdio[4] as Readable).setEncoding("utf8").on("data", (chunk: string) => {
      const messages = (rest + chunk).split("\0");
      rest = messages.pop() ?? "";
      for (const text of messages) this.#receive(JSON.parse(text) as Json);
    });
  }

  static async launch(): Promise<Chromium> {
    const command = NAMES.find((name) => name && spawnSync(name, ["--version"]).status === 0);
    if (!command) throw new Error("No Chromium was found. Install one, or name it in CHROMIUM.");
    const profile = await mkdtemp(path.join(tmpdir(), "verl-chromium-"));
    const args = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--hide-scrollbars",
      "--remote-debugging-pipe",
      `--user-data-dir=${profile}`,
    ];
    const child = spawn(command, args, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    return new Chromium(child, profile);
  }

  send(method: string, params: Json = {}, sessionId?: string): Promise<Json> {
    const id = this.#next++;
    (this.child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  onEvent(listener: (method: string, params: Json, session: unknown) => void): void {
    this.#listeners.add(listener);
  }

  async open(url: string, settings: PageSettings): Promise<Page> {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId as string);
    await page.prepare(settings);
    await page.call("Page.navigate", { url });
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGKILL");
    await ended;
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #receive({ id, method, params, result, error, sessionId }: Json): void {
    if (typeof method === "string") for (const listener of this.#listeners) listener(method, params as Json, sessionId);
    const waiting = this.#waiting.get(id as number);
    if (!waiting) return;
    this.#waiting.delete(id as number);
    if (error) waiting.reject(new Error(JSON.stringify(error)));
    else waiting.resolve(result as Json);
  }
}

/** A tab. */
export class Page {
  /** Errors of scripts, refusals of the content policy, failed requests. */
  readonly troubles: string[] = [];

  constructor(
    private readonly browser: Chromium,
    private readonly session: string,
  ) {}

  call(method: string, params: Json = {}): Promise<Json> {
    return this.browser.send(method, params, this.session);
  }

  async prepare({ width, height, dark }: PageSettings): Promise<void> {
    this.browser.onEvent((method, params, session) => {
      if (session !== this.session) return;
      if (method === "Runtime.exceptionThrown" || method === "Log.entryAdded")
        this.troubles.push(JSON.stringify(params).slice(0, 500));
    });
    for (const domain of ["Page", "Runtime", "Log"]) await this.call(`${domain}.enable`);
    await this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await this.call("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
    });
  }

  /** The value of an expression in the page. */
  async value<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: T }).value;
  }

  /** Until an expression is true in the page. */
  async until(expression: string): Promise<void> {
    const watched = `new Promise((resolve, reject) => {
      const end = performance.now() + 15000;
      const look = () => {
        if (${expression}) resolve(true);
        else if (performance.now() > end) reject(new Error("never true: " + ${JSON.stringify(expression)} + " in " + document.body.innerText.slice(0, 800)));
        else setTimeout(look, 30);
      };
      look();
    })`;
    await this.value(watched);
  }

  async key(key: string): Promise<void> {
    for (const type of ["keyDown", "keyUp"])
      await this.call("Input.dispatchKeyEvent", {
        type,
        key,
        code: key,
        text: key === "Enter" ? "\r" : key === " " ? " " : undefined,
      });
  }

  async hover(selector: string, share: number): Promise<void> {
    const box = await this.value<{ x: number; y: number; width: number; height: number }>(
      `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().toJSON()`,
    );
    await this.call("Input.dispatchMouseEvent", {
      type: "mouseMoved",
      x: box.x + share * box.width,
      y: box.y + box.height / 2,
    });
  }

  async screenshot(): Promise<Buffer> {
    const { data } = await this.call("Page.captureScreenshot", { format: "png", captureBeyondViewport: false });
    return Buffer.from(data as string, "base64");
  }
}
