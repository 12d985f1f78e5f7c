/**
 * Distributes `total` steps of `MARK_STEP` among criteria in proportion to the proposed marks, by largest remainder.
 * Each criterion with proposed marks gets at least one step; if there are fewer steps than criteria, the last of the
 * smallest get none. A proposal that already adds up stays unchanged.
 * @param proposed finite and not negative
 * @param total a whole number above 0
 * @returns steps by criterion, which add up to `total` if any proposed mark is above 0
 */
export const proposedSteps = (proposed: readonly number[], total: number): number[] => {
  const ranked = proposed
    .map((marks, index) => ({ marks, index }))
    .filter(({ marks }) => marks > 0)
    .toSorted((a, b) => b.marks - a.marks || a.index - b.index)
    .slice(0, total);
  const result = proposed.map(() => 0);
  if (ranked.length === 0) return result;
  const sum = ranked.reduce((all, { marks }) => all + marks, 0);
  const shares = ranked.map(({ marks, index }) => {
    const quota = (marks / sum) * total;
    return { index, quota, steps: Math.max(1, Math.floor(quota)) };
  });
  // Moves one step at a time, to the criterion that lacks most or from the one with the largest surplus: at most one
  // step for each criterion.
  for (let left = total - shares.reduce((all, { steps }) => all + steps, 0); left !== 0;) {
    const step = Math.sign(left);
    const movable = shares.filter(({ steps }) => step > 0 || steps > 1);
    const next = movable.reduce((best, share) =>
      step * (share.quota - share.steps) > step * (best.quota - best.steps) ? share : best,
    );
    next.steps += step;
    left -= step;
  }
  for (const { index, steps } of shares) result[index] = steps;
  return result;
};
