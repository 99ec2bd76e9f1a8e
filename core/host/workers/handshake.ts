import { checkFingerprint, type Fingerprint } from "../loading/fingerprint.js";
import type { PluginLock } from "../loading/lock.js";
import { pluginErrors } from "../plugin-errors.js";
import type { ProcessRole } from "../types.js";
import type { Channel } from "./channel.js";
import { type PortableError, portableError, revivedError } from "./error-transport.js";

/** What the driver tells a worker before anything else. Plain JSON: goes as the first message, or in `workerData`. */
export interface PluginOffer {
  readonly type: "verl/plugins/offer";
  readonly cwd: string;
  readonly role: ProcessRole;
  readonly rank: number;
  /** Milliseconds that loading one plugin or module may take. */
  readonly deadlineMs: number;
  readonly lock: PluginLock;
  readonly fingerprint: Fingerprint;
}

type WorkerMessage =
  | { readonly type: "verl/plugins/loading"; readonly plugin: string }
  | { readonly type: "verl/plugins/ready"; readonly fingerprint: Fingerprint }
  | { readonly type: "verl/plugins/failed"; readonly error: PortableError };

/** A host as far as the handshake needs it. */
export interface FingerprintedHost {
  readonly lock: PluginLock;
  readonly fingerprint: Fingerprint;
  readonly loadDeadlineMs: number;
  dispose(): Promise<void>;
}

export function offerOf(host: FingerprintedHost, place: { cwd: string; role: ProcessRole; rank: number }): PluginOffer {
  return {
    type: "verl/plugins/offer",
    ...place,
    deadlineMs: host.loadDeadlineMs,
    lock: host.lock,
    fingerprint: host.fingerprint,
  };
}

/** Milliseconds that a worker may take to load its plugins, of which each may take as long as `loadDeadlineMs` says. */
export const joinDeadlineMs = ({ loadDeadlineMs }: Pick<FingerprintedHost, "loadDeadlineMs">): number =>
  Math.max(60_000, 2 * loadDeadlineMs);

/**
 * The driver's side: sends the offer and resolves when the worker has loaded the same plugins. Rejects with the worker's
 * error, or with `VERL_PLUGIN_HANDSHAKE` when it ends or stays silent; then the caller ends the worker and the run.
 */
export function greetWorker(channel: Channel, offer: PluginOffer, deadlineMs: number): Promise<void> {
  const who = `worker ${offer.role} ${offer.rank}`;
  return new Promise((resolve, reject) => {
    let loading: string | null = null;
    const silent = (what: string) =>
      pluginErrors.VERL_PLUGIN_HANDSHAKE({
        what: `${who} ${what}`,
        why: loading === null ? undefined : `It was loading the plugin ${loading}.`,
        data: { role: offer.role, rank: offer.rank, loading },
      });
    const end = (outcome: () => void) => {
      clearTimeout(timer);
      unlisten();
      unwatch();
      outcome();
    };
    const timer = setTimeout(
      () => end(() => reject(silent(`did not load its plugins within ${deadlineMs / 1000} s.`))),
      deadlineMs,
    );
    const unwatch = channel.onClose((how) =>
      end(() => reject(silent(`ended before it had loaded its plugins: ${how}.`))),
    );
    const unlisten = channel.listen((raw) => {
      const message = raw as WorkerMessage;
      if (message?.type === "verl/plugins/loading") loading = message.plugin;
      if (message?.type === "verl/plugins/failed") end(() => reject(revivedError(message.error, who)));
      if (message?.type === "verl/plugins/ready") {
        end(() => {
          try {
            checkFingerprint(offer.fingerprint, message.fingerprint, { expected: "the driver", actual: who });
            resolve();
          } catch (error) {
            reject(error);
          }
        });
      }
    });
    channel.send(offer);
  });
}

/**
 * The worker's side: waits for the offer, makes the host from it, and answers. A difference is fatal here too: the
 * driver is told, and the error is thrown.
 */
export async function answerDriver<H extends FingerprintedHost>(
  channel: Channel,
  makeHost: (offer: PluginOffer, onLoading: (plugin: string) => void) => Promise<H>,
): Promise<{ readonly host: H; readonly offer: PluginOffer }> {
  const tell = (message: WorkerMessage) => channel.send(message);
  const offer = await nextOffer(channel);
  let host: H | null = null;
  try {
    host = await makeHost(offer, (plugin) => tell({ type: "verl/plugins/loading", plugin }));
    const { fingerprint } = host;
    checkFingerprint(offer.fingerprint, fingerprint, { expected: "the driver", actual: "this worker" });
    tell({ type: "verl/plugins/ready", fingerprint });
    return { host, offer };
  } catch (error) {
    tell({ type: "verl/plugins/failed", error: portableError(error, "VERL_PLUGIN_HANDSHAKE") });
    await host?.dispose();
    throw error;
  }
}

function nextOffer(channel: Channel): Promise<PluginOffer> {
  return new Promise((resolve, reject) => {
    const unwatch = channel.onClose((how) =>
      reject(pluginErrors.VERL_PLUGIN_HANDSHAKE({ what: `No plugin lock arrived: ${how}.` })),
    );
    const unlisten = channel.listen((raw) => {
      const offer = raw as PluginOffer;
      if (offer?.type !== "verl/plugins/offer") return;
      unlisten();
      unwatch();
      resolve(offer);
    });
  });
}
