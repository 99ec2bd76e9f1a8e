import { z } from "zod";
import type { HubReference } from "../../config/index.js";
import { reasonOf } from "../../host/errors.js";
import { parseOutsideJson } from "../../host/util/outside-json.js";
import { responseText } from "../../host/util/response-text.js";
import { shown } from "../../host/util/shown.js";
import { formatErrors } from "../errors.js";
import type { HubSettings } from "./hub-settings.js";

/** A file at the top of a repository. */
export interface HubFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the content, or for files that are kept in Git itself SHA-1 of Git's object. Its name in the cache. */
  readonly digest: string;
}

export interface HubRevision {
  readonly commit: string;
  readonly files: readonly HubFile[];
}

/** More than the list of a hundred thousand files. */
const MAX_LISTING_BYTES = 64 * 2 ** 20;
const listing = z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/), siblings: z.array(z.unknown()) });

/** Nothing for so long, in the answer or inside a file, counts as a broken connection. */
const STALL_MS = 60_000;

/** The requests that reading a repository takes. Answers come from outside: names and digests are checked. */
export class HubClient {
  constructor(
    private readonly settings: HubSettings,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async revision({ repo, revision }: HubReference): Promise<HubRevision> {
    const path = `api/models/${repo}/revision/${encodeURIComponent(revision)}?blobs=true`;
    const { response, done } = await this.get(path, repo);
    try {
      const text = await responseText(response, MAX_LISTING_BYTES);
      if (text === null) throw new Error(`the answer has more than ${MAX_LISTING_BYTES} bytes`);
      const { data } = listing.safeParse(parseOutsideJson(text));
      if (!data) throw new Error("the answer has no commit or no list of files");
      return { commit: data.sha, files: data.siblings.flatMap((entry) => readFile(entry) ?? []) };
    } catch (cause) {
      throw this.unreachable(repo, reasonOf(cause), cause);
    } finally {
      done();
    }
  }

  /**
   * The content of a file from a byte on, in pieces. `start` is where the pieces begin: 0 where the server does not know
   * ranges.
   */
  async content(repo: string, commit: string, { name }: HubFile, from: number) {
    const range: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
    const { response, touch, done } = await this.get(`${repo}/resolve/${commit}/${name}`, repo, range);
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      try {
        for await (const piece of response.body ?? []) {
          touch();
          yield piece;
        }
      } finally {
        done();
      }
    };
    return { start: response.status === 206 ? from : 0, pieces: pieces() };
  }

  unreachable(repo: string, why: string, cause?: unknown): Error {
    return formatErrors.VERL_FORMATS_HUB_UNREACHABLE({
      what: `could not read ${repo} from ${this.settings.endpoint}`,
      why,
      cause,
    });
  }

  private async get(path: string, repo: string, headers: Readonly<Record<string, string>> = {}) {
    this.signal?.throwIfAborted();
    const { endpoint, token } = this.settings;
    const stalled = new AbortController();
    const timer = setTimeout(() => stalled.abort(new Error(`nothing came for ${STALL_MS / 1000} s`)), STALL_MS);
    const done = () => clearTimeout(timer);
    const signal = this.signal ? AbortSignal.any([this.signal, stalled.signal]) : stalled.signal;
    let response: Response;
    try {
      response = await fetch(`${endpoint}/${path}`, {
        signal,
        headers: {
          // Ranges count the bytes that travel.
          "accept-encoding": "identity",
          "user-agent": "verl-ts",
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
      });
    } catch (cause) {
      done();
      this.signal?.throwIfAborted();
      const inner = (cause as { cause?: unknown }).cause;
      throw this.unreachable(repo, reasonOf(inner ?? cause), cause);
    }
    if (response.ok) return { response, touch: () => timer.refresh(), done };
    done();
    await response.body?.cancel();
    throw this.refusal(repo, response);
  }

  private refusal(repo: string, { status, headers }: Response): Error {
    const { endpoint, token } = this.settings;
    const why = `HTTP ${status}${headers.has("x-error-message") ? `: ${shown(headers.get("x-error-message"))}` : ""}`;
    const sent = token === null ? "no token was sent" : "a token was sent";
    if (status === 403) {
      return formatErrors.VERL_FORMATS_HUB_NO_ACCESS({
        what: `${endpoint} gives no access to ${repo}`,
        why: `${why}; ${sent}`,
      });
    }
    // The Hub does not tell a private repository from one that does not exist.
    if (status === 401 || status === 404) {
      return formatErrors.VERL_FORMATS_HUB_NOT_FOUND({
        what: `there is neither a folder ${repo} here nor a model of that name at ${endpoint}`,
        why: `${why}; ${sent}`,
      });
    }
    return this.unreachable(repo, why);
  }
}

/** Null for what is not a plain file at the top. */
function readFile(entry: unknown): HubFile | null {
  const { rfilename: name, size, blobId, lfs } = (entry ?? {}) as Record<string, unknown>;
  const digest = (lfs as { sha256?: unknown } | null | undefined)?.sha256 ?? blobId;
  if (typeof name !== "string" || !/^[\w-][\w.-]*$/.test(name)) return null;
  if (typeof digest !== "string" || !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(digest)) return null;
  return Number.isSafeInteger(size) && (size as number) >= 0 ? { name, size: size as number, digest } : null;
}
