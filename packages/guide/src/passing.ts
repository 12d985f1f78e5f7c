/** Below this number of examples nothing passes. */
const LEAST_EXAMPLES = 30;

interface Passing {
  /** Least `agreement` of a prediction that passes without review; null if none may. */
  threshold: number | null;
  /** Share of the pairs at or above the threshold. */
  share: number;
  /** Observed agreement of the pairs that pass; null if none does. */
  agreement: number | null;
  /** Lower bound of that agreement; null if none passes. */
  lowerBound: number | null;
  examples: number;
}

/**
 * The lowest threshold at which the agreement of what passes reaches `target` with certainty `bound`, by the
 * Clopper–Pearson lower bound. `pairs` are leave-one-out predictions of all examples of the exam: the probability of
 * agreement, and whether the teacher agreed. The threshold is searched on the same pairs, so the bound is a little too
 * good; an audit of what passes checks it.
 */
export const passing = ({
  pairs,
  target,
  bound = 0.9,
}: {
  pairs: readonly { agreement: number; agreed: boolean }[];
  target: number;
  bound?: number;
}): Passing => {
  const none = { threshold: null, share: 0, agreement: null, lowerBound: null, examples: pairs.length };
  if (pairs.length < LEAST_EXAMPLES) return none;
  const sorted = pairs.toSorted((a, b) => b.agreement - a.agreement);
  const agreedAt: number[] = [];
  for (const { agreed } of sorted) agreedAt.push((agreedAt.at(-1) ?? 0) + (agreed ? 1 : 0));
  // The largest part that reaches the target has the lowest threshold.
  for (let passed = sorted.length; passed > 0; passed -= 1) {
    const last = sorted[passed - 1];
    // Pairs with equal agreement pass together.
    if (last === undefined || sorted[passed]?.agreement === last.agreement) continue;
    const agreed = agreedAt[passed - 1] ?? 0;
    if (agreed / passed < target || atLeast(agreed, passed, target) > 1 - bound) continue;
    return {
      threshold: last.agreement,
      share: passed / pairs.length,
      agreement: agreed / passed,
      lowerBound: lowerBoundOf(agreed, passed, bound),
      examples: pairs.length,
    };
  }
  return none;
};

/**
 * One-sided Clopper–Pearson lower bound: the share at which `successes` or more of `trials` have the probability
 * 1 − `certainty`.
 */
export const lowerBoundOf = (successes: number, trials: number, certainty: number): number => {
  if (successes === 0) return 0;
  let low = 0;
  let high = 1;
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    if (atLeast(successes, trials, middle) > 1 - certainty) high = middle;
    else low = middle;
  }
  return low;
};

/** Probability of at least `successes` of `trials` at a share. Logarithms, because factorials are too large. */
const atLeast = (successes: number, trials: number, share: number): number =>
  2 * successes > trials
    ? atMost(trials - successes, trials, 1 - share)
    : 1 - atMost(successes - 1, trials, share);

/** Probability of at most `successes` of `trials`. */
const atMost = (successes: number, trials: number, share: number): number => {
  const odds = Math.log(share) - Math.log1p(-share);
  let term = trials * Math.log1p(-share);
  let sum = 0;
  for (let count = 0; count <= successes; count += 1) {
    sum += Math.exp(term);
    term += Math.log(trials - count) - Math.log(count + 1) + odds;
  }
  return sum;
};
