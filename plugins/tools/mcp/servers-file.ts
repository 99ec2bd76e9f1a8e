import { readFile } from "node:fs/promises";
import { z } from "zod";
import { parseSettingsJson } from "../../../core/host/index.js";
import { reasonOf } from "../../../core/plugin.js";
import { toolErrors } from "../errors.js";

/** A server of the file: a program to start, or an address. */
export type ServerSpec =
  | {
      readonly name: string;
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | null;
    }
  | {
      readonly name: string;
      readonly kind: "http" | "sse";
      readonly url: URL;
      readonly headers: Readonly<Record<string, string>>;
    };

const texts = z.record(z.string(), z.string());
/** Other clients keep members of their own in such files; they are passed over. */
const entry = z.object({
  command: z.string().min(1).optional(),
  args: z.array(z.string()).default([]),
  env: texts.default({}),
  cwd: z.string().optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  headers: texts.default({}),
  auth_token: z.string().min(1).optional(),
  type: z.enum(["stdio", "http", "streamable-http", "streamable_http", "sse"]).optional(),
  transport: z.enum(["stdio", "http", "streamable-http", "streamable_http", "sse"]).optional(),
  disabled: z.boolean().default(false),
});
const file = z.object({ mcpServers: z.record(z.string(), entry) });

/**
 * The servers that a file lists under `mcpServers`. `${NAME}` in commands, arguments, `env`, addresses, headers and tokens
 * stands for a variable of the environment. An entry with `auth_token` and without a type is reached by SSE, as in verl.
 * @throws VERL_MCP_BAD_SERVERS
 */
export async function readServers(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ServerSpec[]> {
  let content: unknown;
  try {
    content = parseSettingsJson(await readFile(path, "utf8"));
  } catch (error) {
    throw badServers(path, "it cannot be read", reasonOf(error));
  }
  const parsed = file.safeParse(content);
  if (!parsed.success) throw badServers(path, z.prettifyError(parsed.error));
  const servers = Object.entries(parsed.data.mcpServers).filter(([, { disabled }]) => !disabled);
  if (servers.length === 0) throw badServers(path, "it lists no server");
  return servers.map(([name, server]) => specOf(name, server, (text) => expand(text, env, `${path}, ${name}`), path));
}

function specOf(
  name: string,
  { command, args, env, cwd, url, headers, auth_token: token, type, transport = type }: z.infer<typeof entry>,
  filled: (text: string) => string,
  path: string,
): ServerSpec {
  if ((command === undefined) === (url === undefined)) {
    throw badServers(path, `${name} needs either a command or a url`);
  }
  const each = (map: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [key, filled(value)]));
  if (command !== undefined) {
    if (transport !== undefined && transport !== "stdio")
      throw badServers(path, `${name} has a command and the type ${transport}`);
    return { name, kind: "stdio", command: filled(command), args: args.map(filled), env: each(env), cwd: cwd ?? null };
  }
  if (transport === "stdio") throw badServers(path, `${name} has a url and the type stdio`);
  const kind = transport === undefined ? (token === undefined ? "http" : "sse") : transport === "sse" ? "sse" : "http";
  const bearer: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${filled(token)}` };
  const address = filled(url ?? "");
  if (!URL.canParse(address))
    throw badServers(path, `${name} has a url that is none, once its variables are filled in`);
  return { name, kind, url: new URL(address), headers: { ...each(headers), ...bearer } };
}

function expand(text: string, env: Readonly<Record<string, string | undefined>>, where: string): string {
  return text.replace(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
    const value = env[name];
    if (value !== undefined) return value;
    throw badServers(where, `the environment variable ${name} is not set`);
  });
}

const badServers = (where: string, what: string, why?: string) =>
  toolErrors.VERL_MCP_BAD_SERVERS({ what: `the list of servers cannot be used: ${what}`, where, why });
