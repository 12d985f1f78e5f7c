/**
 * Cycles of a graph, one for each strongly connected component: the shortest way round from its first node. That node
 * is both first and last in the result.
 */
export const cyclesOf = (edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] => {
  const seen = new Set<string>();
  const cycles: string[][] = [];
  for (const start of [...edges.keys()].sort()) {
    if (seen.has(start)) continue;
    const cycle = shortestWayRound(edges, start);
    if (cycle === null) continue;
    cycles.push(cycle);
    for (const node of cycle) seen.add(node);
  }
  return cycles;
};

const shortestWayRound = (
  edges: ReadonlyMap<string, ReadonlySet<string>>,
  start: string,
): string[] | null => {
  const cameFrom = new Map<string, string>();
  const waiting = [start];
  for (const node of waiting) {
    for (const next of edges.get(node) ?? []) {
      if (next === start) return wayTo(cameFrom, start, node);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      waiting.push(next);
    }
  }
  return null;
};

const wayTo = (cameFrom: ReadonlyMap<string, string>, start: string, last: string): string[] => {
  const way = [start];
  for (let node: string | undefined = last; node !== undefined && node !== start; node = cameFrom.get(node)) {
    way.unshift(node);
  }
  return [start, ...way];
};
