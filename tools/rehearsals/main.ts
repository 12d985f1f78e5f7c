/**
 * `npm run rehearse -- upgrade [--from COMMIT]`, `restore`, `weights` or `hostile [--minutes 10]`: rehearses an upgrade
 * under load, a restore to a moment in the past, the making of the reader's weights, or hostile people at the desk
 * (docs/proofs.md#rehearsals). Linux only; needs git for the upgrade, and python3 with pip for the weights.
 */
import { parseArgs } from 'node:util';
import { stopServersAtOnce } from '@evaluation/embedded';
import { onStopSignals } from '@evaluation/platform/telemetry/stopSignals';
import { killPrograms } from '../../tests/harness/processes.ts';
import { rehearseHostile } from './hostile.ts';
import { rehearseRestore } from './restore.ts';
import { rehearseUpgrade } from './upgrade.ts';
import { rehearseWeights } from './weights.ts';

const { values, positionals } = parseArgs({
  options: { from: { type: 'string', default: 'HEAD~1' }, minutes: { type: 'string', default: '10' } },
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
  hostile: () => rehearseHostile(Number(values.minutes), say),
};
const isKnown = (name: string | undefined): name is keyof typeof rehearsals =>
  name !== undefined && Object.hasOwn(rehearsals, name);
if (!isKnown(what)) {
  console.error(`say what to rehearse: ${Object.keys(rehearsals).join(', ')}`);
  process.exit(2);
}
const wrong = await rehearsals[what]();
for (const line of wrong) console.log(`WRONG ${line}`);
console.log(wrong.length === 0 ? `no fault in ${what}` : `${wrong.length} faults`);
process.exit(wrong.length === 0 ? 0 : 1);
