/** The middle of the values; of an even number, the mean of the two. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}

/** Each value over that of the same round. */
export function pairedRatios(values: readonly number[], baseline: readonly number[]): number[] {
  return values.map((value, round) => value / (baseline[round] ?? Number.NaN));
}

/**
 * What the true median exceeds with 95 % confidence, whatever the distribution
 * (sign test): so many values lie above it that chance would not put them there.
 * With fewer than five values the smallest is taken, which claims less.
 */
export function lowerBound(values: readonly number[]): number {
  const sorted = ascending(values);
  let below = 0; // how likely at most `rank` of all values lie below the median
  let rank = -1;
  for (let term = 0.5 ** sorted.length; rank + 1 < sorted.length && below + term <= 0.05; ) {
    below += term;
    rank++;
    term *= (sorted.length - rank) / (rank + 1);
  }
  return sorted[Math.max(rank, 0)] ?? Number.NaN;
}

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
