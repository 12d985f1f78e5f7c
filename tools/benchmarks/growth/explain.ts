/** The plans in a part of PostgreSQL's log: the slowest plan of each statement, slowest first. */
export const statementsOf = (log: string): string[] => {
  const slowest = new Map<string, { ms: number; plan: string }>();
  for (const [, ms = '0', plan = ''] of log.matchAll(/duration: ([\d.]+) ms {2}plan:\n((?:\t.*\n)+)/g)) {
    const statement = plan.slice(0, 300);
    if (Number(ms) > (slowest.get(statement)?.ms ?? 0)) slowest.set(statement, { ms: Number(ms), plan });
  }
  return [...slowest.values()]
    .toSorted((a, b) => b.ms - a.ms)
    .map(({ ms, plan }) => `${ms.toFixed(1)} ms\n${plan}`);
};
