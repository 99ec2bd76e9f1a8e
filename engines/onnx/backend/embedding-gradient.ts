/**
 * Add the gradient of embedded tokens to the embedding's gradient: row i of `dEmbedded_ND` goes to row `rowIds[i]`. Done
 * here and in order because a scatter with duplicate indices races at more than one thread.
 */
export function addEmbeddingGradient(
  gradient_VD: Float32Array,
  rowIds: Int32Array,
  dEmbedded_ND: Float32Array,
  width: number,
): void {
  for (let i = 0; i < rowIds.length; i++) {
    const to = rowIds[i] * width;
    const from = i * width;
    for (let j = 0; j < width; j++) gradient_VD[to + j] += dEmbedded_ND[from + j];
  }
}
