/**
 * `npm run rehearse -- upgrade [--from COMMIT]`, `restore` or `weights`: rehearses an upgrade under load, a restore to
 * a moment in the past, or the making of the reader's weights (docs/proofs.md#rehearsals). Linux only; needs git for
 * the upgrade, and python3 with pip for the weights.
 */
import { parseArgs } from 'node:util';
import { stopServersAtOnce } from '@evaluation/embedded';
import { onStopSignals } from '@evaluation/platform/telemetry/stopSignals';
import { killPrograms } from '../../tests/harness/processes.ts';
import { rehearseRestore } from './restore.ts';
import { rehearseUpgrade } from './upgrade.ts';
import { rehearseWeights } from './weights.ts';

const { values, positionals } = parseArgs({
  options: { from: { type: 'string', default: 'HEAD~1' } },
  allowPositionals: true,
});

const stop = (): void => {
  void killPrograms()
    .then(stopServersAtOnce)
    .then(() => process.exit(130));
};
onStopSignals({ stop, stopAtOnce: stop });

const say = (line: string): void => console.log(line);
const [what] = positionals;
const rehearsals = {
  upgrade: () => rehearseUpgrade(values.from, say),
  restore: () => rehearseRestore(say),
  weights: () => rehearseWeights(say),
};
if (what !== 'upgrade' && what !== 'restore' && what !== 'weights') {
  console.error('say what to rehearse: upgrade, restore or weights');
  process.exit(2);
}
const wrong = await rehearsals[what]();
for (const line of wrong) console.log(`WRONG ${line}`);
console.log(wrong.length === 0 ? `no fault in ${what}` : `${wrong.length} faults`);
process.exit(wrong.length === 0 ? 0 : 1);
