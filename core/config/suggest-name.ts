import { nearestName } from "../host/nearest.js";

/** " Did you mean …?" or nothing. */
export function suggestName(name: string, candidates: readonly string[]): string {
  const nearest = nearestName(name, candidates);
  return nearest === null ? "" : ` Did you mean ${nearest}?`;
}
