import { createHost, type Host, type HostOptions } from "./create-host.js";
import {
  answerDriver,
  type Channel,
  greetWorker,
  joinDeadlineMs,
  offerOf,
  type ProcessRole,
  parentChannel,
} from "./host/index.js";

/** What a worker decides about its host; everything else comes from the driver. */
export type WorkerHostOptions = Pick<HostOptions, "builtins" | "logger" | "env" | "deadlineMs">;

/**
 * The host of a worker thread or child process: takes the driver's lock from the line, loads the same plugins before any
 * work is accepted, and answers with its fingerprint. Throws, and tells the driver, when anything differs.
 */
export async function createWorkerHost(
  options: WorkerHostOptions = {},
  channel: Channel = parentChannel(),
): Promise<Host> {
  const { host } = await answerDriver(channel, ({ cwd, role, rank, lock, deadlineMs }, onLoading) =>
    createHost({ deadlineMs, ...options, cwd, role, rank, driverLock: lock, onLoading }),
  );
  return host;
}

/** The driver's side of {@link createWorkerHost}. The caller ends the worker and the run when it rejects. */
export async function joinWorker(
  host: Host,
  channel: Channel,
  place: { readonly role: ProcessRole; readonly rank: number; readonly deadlineMs?: number },
): Promise<void> {
  const { role, rank, deadlineMs = joinDeadlineMs(host) } = place;
  await greetWorker(channel, offerOf(host, { cwd: host.cwd, role, rank }), deadlineMs);
}
