import type { ChildProcess } from "node:child_process";
import type { EventEmitter } from "node:events";
import { isMainThread, type MessagePort, parentPort, type Worker } from "node:worker_threads";

/** A two-way line between a driver and one of its workers, whatever carries it. Messages are plain data. */
export interface Channel {
  send(message: unknown): void;
  /** Calls `listener` for every message until the returned function is called. */
  listen(listener: (message: unknown) => void): () => void;
  /** Calls `listener` once when the other side ends or breaks. */
  onClose(listener: (reason: string) => void): () => void;
  /** Lets go of the line, so that it does not keep this process alive. */
  close(): void;
}

/** The driver's end of a worker thread. */
export function workerChannel(worker: Worker): Channel {
  return {
    send: (message) => worker.postMessage(message),
    listen: (listener) => subscribe(worker, "message", listener),
    onClose: (listener) => {
      const offError = subscribe(worker, "error", (error: Error) => listener(`it threw: ${error.message}`));
      const offExit = subscribe(worker, "exit", (code: number) => listener(`it exited with status ${code}`));
      return () => {
        offError();
        offExit();
      };
    },
    close: () => worker.unref(),
  };
}

/** The driver's end of a child process that was started with an IPC channel. */
export function childChannel(child: ChildProcess): Channel {
  // A message to a process that is gone is lost; `onClose` is what tells.
  const ignore = () => {};
  return {
    send: (message) => void child.send(message as object, ignore),
    listen: (listener) => subscribe(child, "message", listener),
    onClose: (listener) => {
      const offError = subscribe(child, "error", (error: Error) => listener(`it failed: ${error.message}`));
      const offExit = subscribe(child, "exit", (code: number | null, signal: string | null) =>
        listener(signal ? `it was ended by ${signal}` : `it exited with status ${code}`),
      );
      return () => {
        offError();
        offExit();
      };
    },
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}

/** A worker's end, in a worker thread or in a child process. */
export function parentChannel(): Channel {
  if (!isMainThread && parentPort) {
    // Its typings say EventTarget; it has the methods of an emitter too.
    const port = parentPort as MessagePort & EventEmitter;
    return {
      send: (message) => port.postMessage(message),
      listen: (listener) => subscribe(port, "message", listener),
      onClose: (listener) => subscribe(port, "close", () => listener("the driver closed the line")),
      close: () => port.close(),
    };
  }
  return {
    send: (message) => void process.send?.(message),
    listen: (listener) => subscribe(process, "message", listener),
    onClose: (listener) => subscribe(process, "disconnect", () => listener("the driver closed the line")),
    close: () => process.disconnect?.(),
  };
}

function subscribe<A extends unknown[]>(emitter: EventEmitter, event: string, listener: (...args: A) => void) {
  emitter.on(event, listener);
  return () => void emitter.off(event, listener);
}
