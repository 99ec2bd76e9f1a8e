const ENTER = "\u001b[?1049h\u001b[?25l";
const CLEAR = "\u001b[2J";
const LEAVE = "\u001b[?25h\u001b[?1049l";

type Write = NodeJS.WriteStream["write"];

/**
 * The terminal's second screen, and its return to the first on every way out of the process: a normal end, `process.exit`, an
 * uncaught error, Ctrl-Z. What the process prints meanwhile is handed to `onLine` instead of tearing the picture.
 */
export class Screen {
  #open = false;
  #shown: readonly string[] = [];
  readonly #restore: (() => void)[] = [];

  constructor(
    private readonly output: NodeJS.WriteStream,
    private readonly onLine: (line: string) => void,
    private readonly onResize: () => void,
    /** The process ends without having closed the screen; what it would have said can still be printed. */
    private readonly onLost: () => void,
  ) {}

  /** Some terminals say 0 until they know. */
  get size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.output.columns || 80, rows: this.output.rows || 24 };
  }

  enter(): void {
    if (this.#open) return;
    const lost = () => {
      this.leave();
      this.onLost();
    };
    const suspend = () => {
      this.leave();
      process.once("SIGCONT", () => this.enter());
      process.kill(process.pid, "SIGSTOP");
    };
    const resize = () => {
      this.#shown = [];
      // A terminal that became lower keeps lines of the old picture.
      this.#write(CLEAR);
      this.onResize();
    };
    // Before anybody else who prints something on the way out.
    process.prependListener("exit", lost);
    process.prependListener("uncaughtExceptionMonitor", lost);
    process.on("SIGTSTP", suspend);
    this.output.on("resize", resize);
    const write = capture(this.output, this.onLine);
    const stopErrors = process.stderr.isTTY ? capture(process.stderr, this.onLine).release : () => {};
    this.#write = write.original;
    this.#restore.push(write.release, stopErrors, () => {
      process.off("exit", lost);
      process.off("uncaughtExceptionMonitor", lost);
      process.off("SIGTSTP", suspend);
      this.output.off("resize", resize);
    });
    this.#open = true;
    this.#shown = [];
    this.#write(ENTER);
    this.onResize();
  }

  /** Only lines that changed are written. */
  draw(lines: readonly string[]): void {
    if (!this.#open) return;
    const { rows } = this.size;
    const changed = Array.from({ length: Math.min(rows, Math.max(lines.length, this.#shown.length)) }, (_, i) => {
      const line = lines[i] ?? "";
      return line === this.#shown[i] ? "" : `\u001b[${i + 1};1H${line}\u001b[0m\u001b[K`;
    });
    this.#shown = lines;
    const text = changed.join("");
    if (text !== "") this.#write(text);
  }

  leave(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#write(LEAVE);
    for (const restore of this.#restore.splice(0)) restore();
  }

  #write: (text: string) => void = () => {};
}

/** Takes over what is written to a stream, line by line, until it is released. */
function capture(stream: NodeJS.WriteStream, onLine: (line: string) => void) {
  const write: Write = stream.write;
  let rest = "";
  stream.write = ((chunk: string | Uint8Array, encoding?: unknown, callback?: unknown) => {
    const lines = `${rest}${typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()}`.split("\n");
    rest = lines.pop() as string;
    for (const line of lines) onLine(line);
    const done = typeof encoding === "function" ? encoding : callback;
    if (typeof done === "function") done();
    return true;
  }) as Write;
  return {
    original: (text: string) => void write.call(stream, text),
    release: () => {
      stream.write = write;
      if (rest !== "") onLine(rest);
    },
  };
}
