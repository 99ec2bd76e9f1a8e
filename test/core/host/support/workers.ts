import { fork } from "node:child_process";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type Channel, childChannel, workerChannel } from "../../../../core/host/index.js";

const main = new URL("./worker-main.js", import.meta.url);

/** A started worker of either sort. */
export interface StartedWorker {
  readonly channel: Channel;
  /** Messages that are no part of the handshake. */
  readonly said: Record<string, unknown>[];
  readonly ended: Promise<unknown>;
  end(): void;
}

export const STARTERS: Readonly<Record<string, () => StartedWorker>> = {
  "worker thread": () => {
    const worker = new Worker(main);
    return listening(workerChannel(worker), once(worker, "exit"), () => void worker.terminate());
  },
  "child process": () => {
    const child = fork(main, { stdio: "pipe" });
    return listening(childChannel(child), once(child, "exit"), () => child.kill());
  },
};

function listening(channel: Channel, ended: Promise<unknown>, end: () => void): StartedWorker {
  const said: Record<string, unknown>[] = [];
  channel.listen((message) => {
    const line = message as Record<string, unknown>;
    if (String(line.type).startsWith("test/")) said.push(line);
  });
  return { channel, said, ended, end };
}
