/** About three significant digits, short enough for a column: `0.532`, `12.4`, `1,234`, `3.0e-6`. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-3 || size >= 1e6) return value.toExponential(1).replace("e+", "e");
  if (size < 10) return value.toFixed(3);
  if (size < 1000) return value.toFixed(1);
  return Math.round(value).toLocaleString("en-US");
}

/** Like {@link formatNumber}, but whole numbers stay whole. */
export function formatValue(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e6 ? value.toLocaleString("en-US") : formatNumber(value);
}

/** `4.1 s`, `3m 12s`, `2h 05m`. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "?";
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (n: number) => String(n).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h ${two(Math.floor((whole % 3600) / 60))}m`;
}

/** `at step 3 of 4`, or `in step 3 of 4` where that step had begun and was not logged: what ended the run may have come after its training. */
export function reachedText({ logged, begun, total }: { logged: number; begun: number; total: number }): string {
  return begun > logged ? `in step ${begun} of ${total}` : `at step ${logged} of ${total}`;
}
