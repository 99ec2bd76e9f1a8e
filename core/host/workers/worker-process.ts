import { fork } from "node:child_process";
import { endProcess } from "../util/end-process.js";
import { type Channel, childChannel } from "./channel.js";

/** A child process that works for this one and does not outlive it. */
export interface WorkerProcess {
  readonly channel: Channel;
  readonly pid: number | undefined;
  /** Closes the line, on which the child leaves; kills it where it does not. */
  stop(): Promise<void>;
}

/** Longest time that a child may take to leave. */
const GRACE_MS = 3000;

/** Messages are structured clones. What the child prints goes to standard error: standard output belongs to results. */
export function startWorkerProcess(main: URL, env: Readonly<Record<string, string | undefined>>): WorkerProcess {
  const child = fork(main, { env, serialization: "advanced", stdio: ["ignore", process.stderr.fd, "inherit", "ipc"] });
  const kill = () => void child.kill("SIGKILL");
  process.on("exit", kill);
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      process.off("exit", kill);
      resolve();
    };
    child.once("exit", end);
    child.once("error", () => child.pid === undefined && end());
  });
  return {
    channel: childChannel(child),
    pid: child.pid,
    async stop() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(kill, GRACE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * The child's side: it leaves with its driver, after `cleanUp`. Ctrl-C and the like reach every process of a group, and
 * what to do about them is the driver's to decide.
 */
export function obeyDriver(channel: Channel, cleanUp: () => Promise<void>): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  channel.onClose(() => {
    setTimeout(() => process.kill(process.pid, "SIGKILL"), GRACE_MS).unref();
    cleanUp().finally(() => endProcess(Number(process.exitCode ?? 0)));
  });
}
