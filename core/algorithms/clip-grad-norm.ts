/**
 * Clipping by the global L2 norm (Pascanu et al., 1211.5063): scale = min(1, max/(norm + 1e-6)). The norm is taken over
 * all parameters and all shards, in float64, and is reported before clipping.
 */

/** Σ g² over one array; add the parts of all arrays and shards, then take the root. Absent gradients count as 0. */
export function squareSum(grad: ArrayLike<number> | null): number {
  let total = 0;
  if (grad) for (let i = 0; i < grad.length; i++) total += grad[i] * grad[i];
  return total;
}

/** Global norm of several gradients. */
export function gradNorm(grads: Iterable<ArrayLike<number> | null>): number {
  let total = 0;
  for (const grad of grads) total += squareSum(grad);
  return Math.sqrt(total);
}

/** Factor for every gradient. A bound of 0 or Infinity means no clipping. Check first that the norm is finite. */
export function clipScale(norm: number, maxNorm: number): number {
  if (maxNorm <= 0 || maxNorm === Number.POSITIVE_INFINITY) return 1;
  return Math.min(1, maxNorm / (norm + 1e-6));
}
