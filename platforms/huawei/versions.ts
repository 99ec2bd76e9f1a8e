/** Whether a version such as `25.3.RC1` or `8.5.0` is at least `wanted`. A release candidate comes before its release. */
export function reaches(version: string, wanted: string): boolean {
  const [a, b] = [partsOf(version), partsOf(wanted)];
  if (a === null || b === null) return false;
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** Numbers in order; `rcN` becomes −1000 + N, below every number that could stand in its place. */
function partsOf(text: string): number[] | null {
  // A build number says nothing about features.
  const version = text.replace(/\.b\d+$/i, "");
  if (!/^\d+(\.(\d+|rc\d+))*$/i.test(version)) return null;
  return version.split(".").map((part) => (/^rc/i.test(part) ? Number(part.slice(2)) - 1000 : Number(part)));
}
