/**
 * `npm run desk:soak -- [--runs N] [--seed S] [--browsers]`: runs of two examiners against one exam, with lost calls,
 * pages that are loaded again, and a service that is killed and started again. Prints the result of
 * tests/desk/soak.test.ts.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    browsers: { type: 'boolean', default: false },
  },
});
const { status } = spawnSync(
  'npx',
  ['vitest', 'run', 'tests/desk/soak.test.ts', '--testTimeout', '86400000'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      DESK_SOAK_RUNS: values.runs,
      DESK_SOAK_SEED: values.seed,
      ...(values.browsers ? { DESK_SOAK_BROWSERS: '1' } : {}),
    },
  },
);
process.exitCode = status ?? 1;
