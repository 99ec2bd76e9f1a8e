/**
 * GGUF files of the llama family store the rows of each head's query and key projection interleaved, (0, half, 1, half + 1, …), for
 * a kernel that rotates neighbours. Hugging Face rotates row i with row i + half; put the rows back into that order, in place.
 *
 * @param weight_RC rows of all heads, row-major
 */
export function restoreRotaryRows(weight_RC: Float32Array, heads: number, columns: number): void {
  const rows = weight_RC.length / columns / heads;
  const half = rows / 2;
  const stored = new Float32Array(rows * columns);
  for (let head = 0; head < heads; head++) {
    const target = weight_RC.subarray(head * rows * columns, (head + 1) * rows * columns);
    stored.set(target);
    for (let i = 0; i < half; i++) {
      target.set(stored.subarray(2 * i * columns, (2 * i + 1) * columns), i * columns);
      target.set(stored.subarray((2 * i + 1) * columns, (2 * i + 2) * columns), (half + i) * columns);
    }
  }
}
