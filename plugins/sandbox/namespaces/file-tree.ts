import fs from "node:fs";
import type { Field } from "./frames.js";

/** Attributes of `mount_setattr`. */
const [READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC] = [1, 2, 4, 8];
const SYSTEM = READ_ONLY | NO_SUID | NO_DEVICES;
const DEVICE = NO_SUID | NO_EXEC;

/** Folders of the system that hold programs and libraries. On merged systems all but the first are links into it. */
const PROGRAMS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** What those need besides: which program an alternative names, and where libraries lie. */
const SETTINGS = ["/etc/alternatives", "/etc/ld.so.cache"];
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

const LINKS: readonly (readonly [target: string, path: string])[] = [
  ["/proc/self/fd", "/dev/fd"],
  ["/proc/self/fd/0", "/dev/stdin"],
  ["/proc/self/fd/1", "/dev/stdout"],
  ["/proc/self/fd/2", "/dev/stderr"],
];

const TEXTS: readonly (readonly [path: string, content: string])[] = [
  ["/etc/passwd", "nobody:x:65534:65534:nobody:/sandbox:/bin/sh\n"],
  ["/etc/group", "nogroup:x:65534:\n"],
  ["/etc/hosts", "127.0.0.1 localhost\n"],
];

/** Everything that a program sees of the machine, all of it read-only. `/proc`, `/tmp` and its own folder come on top. */
export interface FileTree {
  readonly mounts: Field[];
  readonly links: Field[];
  readonly texts: Field[];
  /** Whether a program of the machine is at its usual place in the tree, with what it is a link to. */
  shows(path: string): boolean;
}

/** `extra` are further folders to show, read-only and at their own place. */
export function fileTree(extra: readonly string[]): FileTree {
  const links: (readonly [string, string])[] = [...LINKS];
  const shown: string[] = [];
  for (const path of [...PROGRAMS, ...SETTINGS]) {
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) links.push([fs.readlinkSync(path), path]);
    else if (stats) shown.push(path);
  }
  shown.push(...extra);
  const devices = DEVICES.filter((path) => fs.existsSync(path));
  return {
    mounts: [...shown.flatMap((path) => [path, path, SYSTEM]), ...devices.flatMap((path) => [path, path, DEVICE])],
    links: links.flat(),
    texts: TEXTS.flat(),
    shows: (path) => [path, fs.realpathSync(path)].every((place) => isBelow(place, [...PROGRAMS, ...extra])),
  };
}

const isBelow = (path: string, folders: readonly string[]) => folders.some((folder) => path.startsWith(`${folder}/`));
