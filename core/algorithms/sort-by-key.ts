/**
 * Sorts `ids` in place by their keys, ascending; equal keys keep their order, unless `precedes` says that the later one
 * comes first. Bottom-up merging: much faster than the built-in sort, which calls a function for every comparison.
 */
export function sortByKey(
  ids: Int32Array,
  keys: Float64Array,
  precedes: (a: number, b: number) => boolean = () => false,
  scratch: Int32Array = new Int32Array(ids.length),
): Int32Array {
  const n = ids.length;
  let from = ids;
  let to = scratch;
  for (let width = 1; width < n; width *= 2) {
    for (let start = 0; start < n; start += 2 * width) {
      const middle = Math.min(start + width, n);
      const end = Math.min(start + 2 * width, n);
      let i = start;
      let j = middle;
      for (let at = start; at < end; at++) {
        if (j >= end) to[at] = from[i++];
        else if (i >= middle) to[at] = from[j++];
        else {
          const left = keys[from[i]];
          const right = keys[from[j]];
          to[at] = right < left || (right === left && precedes(from[j], from[i])) ? from[j++] : from[i++];
        }
      }
    }
    const sorted = to;
    to = from;
    from = sorted;
  }
  if (from !== ids) for (let at = 0; at < n; at++) ids[at] = from[at];
  return ids;
}

/** 0 … n − 1 */
export function indices(n: number): Int32Array {
  const ids = new Int32Array(n);
  for (let i = 0; i < n; i++) ids[i] = i;
  return ids;
}
