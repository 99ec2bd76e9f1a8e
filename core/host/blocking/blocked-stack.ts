/** One call of a paused thread, innermost first. */
export interface BlockedFrame {
  readonly name: string;
  /** Empty where the code has no file. */
  readonly url: string;
  readonly line: number;
  readonly column: number;
}

/** Packages whose work is ours. */
export interface Installation {
  /** URL of the folder that holds our code. */
  readonly root: string;
  readonly dependencies: ReadonlySet<string>;
}

/** The innermost call of code that is neither ours, nor Node.js's, nor that of a package that we brought; null where there is none. */
export function foreignFrame(
  frames: readonly BlockedFrame[],
  { root, dependencies }: Installation,
): BlockedFrame | null {
  const isForeign = ({ url }: BlockedFrame) => {
    if (!url.startsWith("file:") || url.startsWith(root)) return false;
    const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
    return inPackage === undefined || !dependencies.has(inPackage);
  };
  return frames.find(isForeign) ?? null;
}

/** `function (file:line:column)` */
export function placeOf({ name, url, line, column }: BlockedFrame): string {
  return `${name === "" ? "top level" : name} (${url || "?"}:${line}:${column})`;
}
