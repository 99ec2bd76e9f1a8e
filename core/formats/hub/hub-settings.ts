import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { formatErrors } from "../errors.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** How the Hub is reached. The variables are those of Python's `huggingface_hub`, and the cache is shared with it. */
export interface HubSettings {
  /** `HF_ENDPOINT`, without a slash at its end. */
  readonly endpoint: string;
  /** `HF_TOKEN`, or the file that `hf auth login` writes. Appears in no message. */
  readonly token: string | null;
  /** `HF_HUB_CACHE`, or `hub` in `HF_HOME`. */
  readonly cacheDir: string;
  /** `HF_HUB_OFFLINE`: what is not in the cache is an error. */
  readonly isOffline: boolean;
}

const DEFAULT_ENDPOINT = "https://huggingface.co";

export async function hubSettings(env: Environment): Promise<HubSettings> {
  const home = env.HF_HOME ?? join(env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "huggingface");
  const endpoint = (env.HF_ENDPOINT || DEFAULT_ENDPOINT).replace(/\/+$/, "");
  return {
    endpoint,
    token: maySend(endpoint) ? await readToken(env, home) : null,
    cacheDir: env.HF_HUB_CACHE ?? env.HUGGINGFACE_HUB_CACHE ?? join(home, "hub"),
    isOffline: /^(1|true|yes|on)$/i.test(env.HF_HUB_OFFLINE ?? ""),
  };
}

/** A token goes over TLS, or to this machine. */
function maySend(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) {
    throw formatErrors.VERL_FORMATS_HUB_UNREACHABLE({
      what: `HF_ENDPOINT is ${JSON.stringify(endpoint)}, which is not an address`,
      fix: `set it to an address such as ${DEFAULT_ENDPOINT}, or unset it`,
    });
  }
  const { protocol, hostname } = new URL(endpoint);
  return protocol === "https:" || /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
}

async function readToken(env: Environment, home: string): Promise<string | null> {
  const set = env.HF_TOKEN ?? env.HUGGING_FACE_HUB_TOKEN;
  const token = set ?? (await readFile(env.HF_TOKEN_PATH ?? join(home, "token"), "utf8").catch(() => ""));
  return token.trim() || null;
}
