/**
 * Shortens a tool's output to `limit` code points. `left` cuts on the left and keeps the end, `right` keeps the start, any
 * other side keeps both ends. The marker is not counted. A text that fits is unchanged.
 */
export function truncateToolResponse(text: string, limit: number, side: string): string {
  if (text.length <= limit) return text;
  const points = Array.from(text);
  if (points.length <= limit) return text;
  const first = (count: number) => points.slice(0, count).join("");
  const last = (count: number) => points.slice(points.length - count).join("");
  if (side === "left") return `(truncated)...${last(limit)}`;
  if (side === "right") return `${first(limit)}...(truncated)`;
  const half = Math.floor(limit / 2);
  return `${first(half)}...(truncated)...${last(half)}`;
}
