/** The thread behind `block-watch.ts`. Runs only as a worker. */
import { parentPort, workerData } from "node:worker_threads";
import { BlockedClock } from "./blocked-clock.js";
import { AT, type Board, type WatchedLoop } from "./board.js";
import { CallLook } from "./call-look.js";
import { LoopLook } from "./loop-look.js";

const board = workerData as Board;
const LOOK_MS = 250;

const clock = new BlockedClock(LOOK_MS);
const calls = new CallLook(board);
const loops = new LoopLook(board);

parentPort!.on("message", (order: WatchedLoop | null) => loops.watch(order));

setInterval(() => {
  const isDebugged = Atomics.load(board.state, AT.debugged) === 1;
  // A watched call has a deadline of its own.
  const isCalling = calls.isRunning();
  const ms = clock.look(!isDebugged && (isCalling || loops.isStill()));
  calls.charge(ms);
  loops.charge(isCalling ? null : ms);
}, LOOK_MS);
