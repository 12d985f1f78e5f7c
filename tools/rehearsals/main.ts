/**
 * `npm run rehearse -- upgrade [--from COMMIT]` and `npm run rehearse -- restore`: rehearses an upgrade under load, or
 * a restore to a moment in the past (docs/proofs.md#rehearsals). Linux only; needs git for the upgrade.
 */
import { parseArgs } from 'node:util';
import { stopServersAtOnce } from '@evaluation/embedded';
import { onStopSignals } from '@evaluation/platform/telemetry/stopSignals';
import { killPrograms } from '../../tests/harness/processes.ts';
import { rehearseRestore } from './restore.ts';
import { rehearseUpgrade } from './upgrade.ts';

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
if (what !== 'upgrade' && what !== 'restore') {
  console.error('say what to rehearse: upgrade or restore');
  process.exit(2);
}
const wrong = what === 'upgrade' ? await rehearseUpgrade(values.from, say) : await rehearseRestore(say);
for (const line of wrong) console.log(`WRONG ${line}`);
console.log(wrong.length === 0 ? `the ${what} lost nothing` : `${wrong.length} faults`);
process.exit(wrong.length === 0 ? 0 : 1);
