import { type BlockedFrame, foreignFrame, placeOf } from "./blocked-stack.js";
import { AT, type Blame, type BlockedError, type Board, type WatchedLoop } from "./board.js";
import { exitMain, mainSide } from "./end-blocked.js";
import { thisInstallation } from "./installation.js";
import { type PausedMain, pauseMain } from "./pause-main.js";
import { keptOf, say, sayError } from "./say.js";

/** After so long without a turn of the event loop, or half the deadline, it is looked who holds it. */
const NOTICE_MS = 10_000;
/** Native code cannot be paused: so long the debugger tries before the rest is believed. */
const NATIVE_MS = 10_000;
/** Code that mostly calls ours is found by several looks. */
const SAMPLES = 20;

const FIX =
  "let it end, or yield now and then (`await setTimeout(0)` of node:timers/promises); work of minutes belongs into a thread (agent loops: `thread: true`, rewards: the manager remote) or a process; trainer.block_deadline_s is the bound, 0 switches it off";
const NATIVE = "in native code, or in a call that waits for something outside of the process (execSync, Atomics.wait)";

/** Of code that hides `globalThis` from whoever looks at it. */
const UNTOLD: Blame = { file: null, label: null, debugged: false };

interface Found {
  readonly frame: BlockedFrame;
  readonly blame: Blame;
}

/** Looks at the event loop of the main thread: who holds it is named, and ended where that is not our own work. */
export class LoopLook {
  readonly #installation = thisInstallation();
  #order: WatchedLoop | null = null;
  #beats = -1;
  #heldMs = 0;
  /** It is looked when it has been held for so long. */
  #lookAtMs = 0;
  /** For how long the debugger has been trying. */
  #tryingMs: number | null = null;
  #noticed = false;
  #nativeNoticed = false;

  constructor(private readonly board: Board) {}

  watch(order: WatchedLoop | null): void {
    this.#order = order;
    this.#forget();
  }

  isStill(): boolean {
    return this.#order !== null && Atomics.load(this.board.state, AT.beats) === this.#beats;
  }

  /** Null: what holds it is watched by itself. */
  charge(ms: number | null): void {
    if (ms === null || !this.isStill()) {
      this.#forget();
      return;
    }
    this.#heldMs += ms;
    if (this.#tryingMs === null) {
      if (this.#heldMs >= this.#lookAtMs) void this.#look();
      return;
    }
    this.#tryingMs += ms;
    if (this.#tryingMs >= Math.min(NATIVE_MS, this.#noticeMs)) this.#judgeNative();
  }

  get #noticeMs(): number {
    return Math.min(NOTICE_MS, (this.#order?.deadlineMs ?? 0) / 2);
  }

  #forget(): void {
    this.#beats = Atomics.load(this.board.state, AT.beats);
    this.#heldMs = 0;
    this.#lookAtMs = this.#noticeMs;
    this.#noticed = false;
    this.#nativeNoticed = false;
  }

  async #look(): Promise<void> {
    this.#tryingMs = 0;
    const beats = this.#beats;
    let samples = 0;
    let isOurs = false;
    try {
      await pauseMain(async (main) => {
        this.#tryingMs = 0;
        if (!this.#order || Atomics.load(this.board.state, AT.beats) !== beats) return "done";
        const frame = foreignFrame(main.frames, this.#installation);
        const isLast = ++samples >= SAMPLES;
        const isJudged = frame !== null && (await this.#judge(main, frame, this.#order, isLast));
        isOurs = isLast && !isJudged;
        return isJudged || isLast ? "done" : "again";
      });
    } finally {
      this.#tryingMs = null;
      // Our own work is left alone, and looked at ever more seldom.
      if (isOurs) this.#lookAtMs = 2 * this.#heldMs;
    }
  }

  /** False: it cannot be told here who is to blame, and may be elsewhere. */
  async #judge(main: PausedMain, frame: BlockedFrame, order: WatchedLoop, isLast: boolean): Promise<boolean> {
    const description = main.evaluate(mainSide(`describe(${JSON.stringify(frame.url)})`), frame);
    const described = (await description.catch(() => null)) as Blame | null;
    if (described === null && !isLast) return false;
    const blame = described ?? UNTOLD;
    if (blame.debugged) return true;
    const found = { frame, blame };
    if (!this.#noticed) {
      this.#noticed = true;
      this.#lookAtMs = Math.max(order.deadlineMs, this.#heldMs + this.#noticeMs);
      // Not before: a signal that a listener still takes is lost.
      await main.evaluate(mainSide("dropSignals()"), frame).catch(() => {});
      const limit = `it is ended after ${order.deadlineMs / 1000} s (trainer.block_deadline_s), by Ctrl-C at once`;
      const whom = blame.label === null ? "" : `, called as ${blame.label}`;
      const seconds = Number((this.#heldMs / 1000).toPrecision(2));
      say(`warn: ${whose(found)} holds the process for ${seconds} s, in ${placeOf(frame)}${whom}; ${limit}`);
      return true;
    }
    sayError(this.#error(found, order), this.board.exitCode, order.json);
    await exitMain(main, frame, this.board.exitCode);
    return true;
  }

  #error({ frame, blame }: Found, order: WatchedLoop): BlockedError {
    return {
      ...this.#common(order, whose({ frame, blame })),
      where: placeOf(frame),
      ...(blame.label === null ? {} : { why: `it runs as ${blame.label}` }),
    };
  }

  /** Code of the user's is ended where it is sure to be the culprit: while its synchronous part runs. */
  #judgeNative(): void {
    const order = this.#order;
    if (!order || this.#heldMs < order.deadlineMs) return;
    const { state, entered, exitCode } = this.board;
    const last = new TextDecoder().decode(entered.slice(0, Atomics.load(state, AT.enteredBytes)));
    if (Atomics.load(state, AT.depth) > 0) {
      sayError({ ...this.#common(order, last), where: NATIVE }, exitCode, order.json);
      process.kill(process.pid, "SIGKILL");
    } else if (!this.#nativeNoticed) {
      this.#nativeNoticed = true;
      const whom = last === "" ? "" : ` What was entered last is ${last}.`;
      say(`warn: nothing happens for ${Math.round(this.#heldMs / 1000)} s, for the process is ${NATIVE}.${whom}`);
    }
  }

  #common({ deadlineMs, kept }: WatchedLoop, whose: string) {
    return {
      code: "VERL_USER_BLOCKED",
      what: `${whose} blocks the process for more than ${deadlineMs / 1000} s without yielding`,
      fix: FIX,
      ...(kept ? { also: [keptOf(kept)] } : {}),
    };
  }
}

const whose = ({ frame, blame }: Found): string =>
  `code of ${blame.file ?? decodeURI(frame.url.slice("file://".length))}`;
