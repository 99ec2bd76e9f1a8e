import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { AddressInfo, Server } from "node:net";
import { reasonOf } from "../errors.js";
import { shown } from "./shown.js";

export interface ListenAddress {
  /** 0: any that is free. */
  readonly port: number;
  readonly host: string;
}

/** Resolves with the port when the server listens; rejects with Node's error. */
export function listenOn(server: Server, { port, host }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Why a server of ours cannot listen there, for people: who has the port, where the system says so. */
export function whyNotListening(error: unknown, { port, host }: ListenAddress): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `${holderOf(port) ?? "somebody else"} listens on port ${port} (EADDRINUSE)`;
  if (code === "EACCES") return `port ${port} is not for everybody: below 1024 it takes root's rights (EACCES)`;
  if (code === "EADDRNOTAVAIL") return `${host} is no address of this machine (EADDRNOTAVAIL)`;
  if (code === "ENOTFOUND") return `there is no host ${host} (ENOTFOUND)`;
  return reasonOf(error);
}

const LISTENING = "0A";

/** The process that listens on a port, as far as Linux tells: of other users' processes it does not. */
function holderOf(port: number): string | null {
  if (process.platform !== "linux") return null;
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const sockets = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of attempt(() => readFileSync(table, "latin1").split("\n")) ?? []) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(`:${hex}`) && fields[3] === LISTENING) sockets.add(`socket:[${fields[9]}]`);
    }
  }
  if (sockets.size === 0) return null;
  const pids = (attempt(() => readdirSync("/proc")) ?? []).filter((name) => /^\d+$/.test(name));
  const pid = pids.find((candidate) => {
    const folder = `/proc/${candidate}/fd`;
    const open = attempt(() => readdirSync(folder)) ?? [];
    return open.some((name) => sockets.has(attempt(() => readlinkSync(`${folder}/${name}`)) ?? ""));
  });
  if (pid === undefined) return null;
  if (Number(pid) === process.pid) return "this process itself";
  const words = attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean)) ?? [];
  // The rest of a command line may hold anything, secrets too.
  return words.length === 0 ? `process ${pid}` : `process ${pid} (${shown(words[0])})`;
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
