import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import { cliErrors } from "../errors.js";
import { type CommandIo, printJson, printLine } from "../program/io.js";
import { EXIT } from "../program/report-error.js";
import { Catalogue } from "./catalogue.js";
import { pageFiles } from "./page-files.js";
import { Roots } from "./roots.js";
import { isLoopback, serve } from "./server.js";

export interface DashboardRequest {
  /** Of runs, or above them; none: {@link DEFAULT_FOLDER}, else the working directory. */
  readonly folders: readonly string[];
  readonly host: string | null;
  readonly port: string | null;
  readonly open: boolean;
  readonly json: boolean;
}

/** Where runs write unless they are told otherwise. */
const DEFAULT_FOLDER = "checkpoints";

/** `verl dashboard`: a page over runs, until it is interrupted. */
export async function dashboardCommand(
  request: DashboardRequest,
  io: CommandIo,
  signal?: AbortSignal,
): Promise<number> {
  const port = portOf(request.port);
  const host = request.host ?? "127.0.0.1";
  const folders = request.folders.length > 0 ? request.folders : [await defaultFolder(io.cwd)];
  const roots = await Roots.open(folders.map((folder) => path.resolve(io.cwd, folder)));
  const key = isLoopback(host) ? null : randomBytes(18).toString("base64url");
  const server = await serve({ catalogue: new Catalogue(roots), files: await pageFiles(), host, port, key });
  // What follows # is sent to nobody; the page keeps the key for the session of its tab.
  const url = `http://${shownHost(host)}:${server.port}/${key === null ? "" : `#key=${key}`}`;
  if (request.json) printJson(io, { url });
  else {
    printLine(io.stdout, url);
    printLine(io.stderr, `Showing ${folders.join(", ")}; Ctrl-C ends it.`);
    if (key !== null)
      printLine(
        io.stderr,
        "Whoever has this address with its key can read these runs. The connection is not encrypted.",
      );
  }
  if (request.open) openBrowser(url, io);
  await interrupted(signal);
  await server.close();
  return EXIT.ok;
}

function portOf(text: string | null): number | null {
  if (text === null) return null;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw cliErrors.VERL_CLI_USAGE({
    what: `\`--port ${text}\` cannot be understood.`,
    fix: "Write a number from 0 (any free port) to 65535.",
  });
}

async function defaultFolder(cwd: string): Promise<string> {
  const found = await stat(path.resolve(cwd, DEFAULT_FOLDER)).catch(() => null);
  return found?.isDirectory() ? DEFAULT_FOLDER : ".";
}

const shownHost = (host: string) => (host.includes(":") ? `[${host}]` : host);

function openBrowser(url: string, io: CommandIo): void {
  const [command, ...args] =
    process.platform === "darwin" ? ["open"] : process.platform === "win32" ? ["cmd", "/c", "start", ""] : ["xdg-open"];
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => printLine(io.stderr, "No browser could be opened; open the address yourself."));
  child.unref();
}

/** Resolves at the first SIGINT or SIGTERM, or when the caller has had enough. */
function interrupted(signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      process.off("SIGINT", end);
      process.off("SIGTERM", end);
      resolve();
    };
    process.on("SIGINT", end);
    process.on("SIGTERM", end);
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end, { once: true });
  });
}
