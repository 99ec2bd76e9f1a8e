/**
 * Some architectures store the rows of each head's query and key projection interleaved, (0, half, 1, half + 1, …), for
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

/** Turn a matrix of `rows` rows into its transpose, in place. */
export function transpose(weight_RC: Float32Array, rows: number): void {
  const columns = weight_RC.length / rows;
  const stored = weight_RC.slice();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) weight_RC[column * rows + row] = stored[row * columns + column];
  }
}
