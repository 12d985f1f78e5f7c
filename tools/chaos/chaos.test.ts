import { expect, test } from 'vitest';
import { planOf } from './plan/plan.ts';
import { runChaos } from './run.ts';

/*
 * A short run of `npm run chaos` (docs/proofs.md). CHAOS_SEED=… repeats the plan of a failed run; what a fault meets
 * also depends on timing.
 */
const SEED = Number(process.env['CHAOS_SEED'] ?? 842);
const MINUTES = 0.5;
const SIZES = { core: 2, facade: 1, worker: 2, desk: 1 };
const LIMIT_MS = 300_000;

test(
  'under kills, stops, broken connections and a mad model each accepted run ends once, is charged once and has its marks',
  async () => {
    const lines: string[] = [];
    const report = await runChaos({
      seed: SEED,
      minutes: MINUTES,
      killsPerMinute: 8,
      clients: 2,
      leaseSeconds: 5,
      faults: 'all',
      sizes: SIZES,
      isBundled: true,
      say: (line) => void lines.push(line),
    });
    const repeat = `repeat: npm run chaos -- --seed ${SEED} --minutes ${MINUTES} --kills 8 --facades 1 --clients 2 --lease 5`;
    expect(report.violations, [repeat, ...lines].join('\n')).toEqual([]);
    expect(report.accepted).toBeGreaterThan(0);
    expect(report.completed).toBeGreaterThan(0);
  },
  LIMIT_MS,
);

test('a seed gives the same plan again, and another seed another plan', () => {
  const options = { minutes: 5, killsPerMinute: 10, sizes: SIZES, faults: 'all' } as const;
  const plan = planOf({ ...options, seed: 1 });
  expect(planOf({ ...options, seed: 1 })).toEqual(plan);
  expect(planOf({ ...options, seed: 2 })).not.toEqual(plan);
  expect(new Set(plan.map(({ fault }) => fault.kind)).size).toBe(11);
});
