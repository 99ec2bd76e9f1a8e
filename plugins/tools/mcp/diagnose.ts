import { constants } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";
import { type DiagnoseOptions, type Diagnosis, failedFinding, reach } from "../../../core/plugin.js";
import { loadSdk } from "./sdk.js";
import { readServers, type ServerSpec } from "./servers-file.js";
import { serverEnv } from "./stdio-transport.js";

/** Whether the servers of a file can be had: programs are looked for, not started; addresses are asked to begin a session. */
export async function diagnoseMcpServers(file: string, options: DiagnoseOptions): Promise<Diagnosis[]> {
  let specs: ServerSpec[];
  try {
    specs = await readServers(path.resolve(options.cwd, file), options.env);
    await loadSdk();
  } catch (error) {
    return [failedFinding("MCP servers", error)];
  }
  return Promise.all(
    specs.map((spec) =>
      spec.kind === "stdio" ? diagnoseProgram(spec, options) : diagnoseAddress(spec, file, options),
    ),
  );
}

async function diagnoseProgram(
  { name: server, command, cwd: own, env: named }: Extract<ServerSpec, { kind: "stdio" }>,
  { cwd, env }: DiagnoseOptions,
): Promise<Diagnosis> {
  const name = `MCP server ${server}`;
  const folder = path.resolve(cwd, own ?? ".");
  const found = await programAt(command, folder, serverEnv(env, named));
  if (found !== null) return { name, status: "ok", detail: `its program is ${found}; it was not started` };
  const hasPath = /[/\\]/.test(command);
  return {
    name,
    status: "failed",
    detail: hasPath ? `there is no program ${command} in ${folder}` : `there is no program ${command} on the PATH`,
    fix: "install it, or correct its command in the list of servers",
  };
}

/** Where the system would find a program, or null. */
async function programAt(
  command: string,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  const isWindows = process.platform === "win32";
  const folders = /[/\\]/.test(command) ? [folder] : (env.PATH ?? "").split(path.delimiter);
  const endings = isWindows ? ["", ...(process.env.PATHEXT ?? ".EXE;.CMD;.BAT").split(";")] : [""];
  for (const place of folders) {
    for (const ending of endings) {
      const file = path.resolve(folder, place, command + ending);
      const isThere = await access(file, isWindows ? constants.F_OK : constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return file;
    }
  }
  return null;
}

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "verl-ts", version: "1" } },
});

async function diagnoseAddress(
  { name: server, kind, url, headers }: Extract<ServerSpec, { kind: "http" | "sse" }>,
  file: string,
  { timeoutMs }: DiagnoseOptions,
): Promise<Diagnosis> {
  const name = `MCP server ${server}`;
  const answer =
    kind === "sse"
      ? await reach(url, { headers: { ...headers, accept: "text/event-stream" }, timeoutMs })
      : await reach(url, {
          method: "POST",
          headers: {
            ...headers,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
          },
          body: INITIALIZE,
          timeoutMs,
        });
  const failed = (detail: string, fix: string): Diagnosis => ({ name, status: "failed", detail, fix });
  if (!answer.answered) return failed(`${url.host}: ${answer.why}`, `start the server, or correct its url in ${file}`);
  const { status, skewMs } = answer;
  const clock = skewMs === undefined ? {} : { skewMs };
  // Nobody will go on with the session that this may have begun.
  const session = answer.headers.get("mcp-session-id");
  if (session !== null) {
    await reach(url, { method: "DELETE", headers: { ...headers, "mcp-session-id": session }, timeoutMs });
  }
  if (status < 300) return { name, status: "ok", detail: `${url.host} answers`, ...clock };
  if (status === 401 || status === 403) {
    const fix = `see its headers or auth_token in ${file}`;
    return { ...failed(`${url.host} refuses with ${status}`, fix), ...clock };
  }
  const fix = `see its url and type in ${file}`;
  return { ...failed(`${url.host} answers with ${status}, which is no MCP session (${kind})`, fix), ...clock };
}
