import { foreignFrame, placeOf } from "./blocked-stack.js";
import { AT, type Board, type WatchedCall } from "./board.js";
import { endBlocked, mainSide } from "./end-blocked.js";
import { thisInstallation } from "./installation.js";
import { pauseMain } from "./pause-main.js";
import { say } from "./say.js";

/** On top of the deadline: what is nearly done may finish. */
const GRACE_MS = 2000;
/** After so long it is said that something holds the process. */
const NOTICE_MS = 5000;
const KILL_AFTER_MS = 10_000;

/** Looks at synchronous calls that have a deadline of their own. */
export class CallLook {
  readonly #installation = thisInstallation();
  #current = 0;
  #heldMs = 0;
  #noticed = false;
  #ending = false;

  constructor(private readonly board: Board) {}

  isRunning(): boolean {
    return this.#number() % 2 === 1;
  }

  charge(ms: number): void {
    const number = this.#number();
    if (number !== this.#current) {
      this.#current = number;
      this.#heldMs = 0;
      this.#noticed = false;
      return;
    }
    if (number % 2 === 0 || this.#ending) return;
    this.#heldMs += ms;
    const call = this.#read(number);
    if (!call) return;
    if (this.#heldMs > call.deadlineMs + GRACE_MS) {
      this.#ending = true;
      this.#end(call);
    } else if (!this.#noticed && this.#heldMs > NOTICE_MS) {
      this.#noticed = true;
      void this.#notice(call, number);
    }
  }

  #end({ code, label, fix, deadlineMs }: WatchedCall): void {
    const what = `${label} blocks the process for more than ${deadlineMs / 1000} s without yielding.`;
    const { exitCode } = this.board;
    const installation = this.#installation;
    void endBlocked({ error: { code, what, fix }, exitCode, killAfterMs: KILL_AFTER_MS, installation });
  }

  /** A thread that does not yield hears no signal: their default action ends it. */
  async #notice({ label, deadlineMs }: WatchedCall, number: number): Promise<void> {
    await pauseMain(async ({ frames, evaluate }) => {
      if (this.#number() !== number) return "done";
      const frame = foreignFrame(frames, this.#installation) ?? frames[0];
      const place = placeOf(frame);
      const limit = `it is ended after ${deadlineMs / 1000} s`;
      // Not before: a signal that a listener still takes is lost.
      await evaluate(mainSide("dropSignals()"), frame).catch(() => {});
      say(`warn: ${label} holds the process for ${NOTICE_MS / 1000} s, in ${place}; ${limit}, by Ctrl-C at once`);
      return "done";
    });
  }

  #number(): number {
    return Atomics.load(this.board.state, AT.call);
  }

  /** What is running; null where it ended while it was read. */
  #read(number: number): WatchedCall | null {
    const { state, call } = this.board;
    const bytes = call.slice(0, Atomics.load(state, AT.callBytes));
    return this.#number() === number ? JSON.parse(new TextDecoder().decode(bytes)) : null;
  }
}
