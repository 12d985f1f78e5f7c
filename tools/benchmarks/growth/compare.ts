export interface Compared {
  name: string;
  /** Milliseconds of the small and of the large service. */
  p50: [number, number];
  p99: [number, number];
}

const WARM_UP = 5;
const SLOWED = 1.5;

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const timed = async (call: () => Promise<void>): Promise<number> => {
  const started = performance.now();
  await call();
  return performance.now() - started;
};

/** Calls both in turns, `rounds` times each after a warm-up. The first of each pair alternates. */
export const compare = async (
  name: string,
  small: () => Promise<void>,
  large: () => Promise<void>,
  rounds: number,
): Promise<Compared> => {
  const times: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const pair =
      round % 2 === 0
        ? [await timed(small), await timed(large)]
        : [await timed(large), await timed(small)].toReversed();
    if (round < 0) continue;
    times[0].push(pair[0] ?? 0);
    times[1].push(pair[1] ?? 0);
  }
  const [few, many] = times.map((each) => each.toSorted((a, b) => a - b));
  return {
    name,
    p50: [at(few ?? [], 0.5), at(many ?? [], 0.5)],
    p99: [at(few ?? [], 0.99), at(many ?? [], 0.99)],
  };
};

export const slowed = ({ p50: [few, many] }: Compared): boolean => many > SLOWED * few;

export const comparedTable = (rows: readonly Compared[]): string =>
  [
    '| request | p50 small | p50 large | ratio | p99 small | p99 large |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map(({ name, p50, p99 }) => {
      const [few, many] = p50;
      const cells = [name, few, many, many / few, ...p99];
      return `| ${cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : cell)).join(' | ')} |`;
    }),
  ].join('\n');
