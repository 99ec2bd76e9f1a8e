/**
 * Shortens a tool's output to `limit` code points. `left` cuts on the left and keeps the end, `right` keeps the start, any
 * other side keeps both ends. The marker is not counted. A text that fits is unchanged. Takes time and memory by the limit, not
 * by the text, which a tool may make as long as it likes.
 */
export function truncateToolResponse(text: string, limit: number, side: string): string {
  if (text.length <= limit) return text;
  // A code point has at most two units.
  if (text.length <= 2 * limit && Array.from(text).length <= limit) return text;
  const first = (count: number) =>
    Array.from(text.slice(0, 2 * count))
      .slice(0, count)
      .join("");
  const last = (count: number) => {
    const points = Array.from(text.slice(Math.max(0, text.length - 2 * count)));
    return points.slice(Math.max(0, points.length - count)).join("");
  };
  if (side === "left") return `(truncated)...${last(limit)}`;
  if (side === "right") return `${first(limit)}...(truncated)`;
  const half = Math.floor(limit / 2);
  return `${first(half)}...(truncated)...${last(half)}`;
}
