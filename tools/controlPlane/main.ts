/**
 * `npm run rehearse:cluster -- --etcd PATH --apiserver PATH --controller-manager PATH --scheduler PATH`:
 * the life of a release on a real Kubernetes control plane
 * (docs/proofs.md#a-cluster). Linux only; needs openssl, and root for the ports of Services below 1024.
 */
import { parseArgs } from 'node:util';
import { stopServersAtOnce } from '@evaluation/embedded';
import { onStopSignals } from '@evaluation/platform/telemetry/stopSignals';
import { rehearseCluster } from './rehearsal.ts';
import { BINARY_OPTIONS, findBinaries, HOW_TO_BUILD } from './servers/binaries.ts';

const { values } = parseArgs({ options: BINARY_OPTIONS });
const binaries = await findBinaries(values);
if (Array.isArray(binaries)) {
  console.log(`skipped: ${binaries.join('; ')}`);
  console.log(HOW_TO_BUILD);
  process.exit(0);
}
const stop = (): void => void stopServersAtOnce().then(() => process.exit(130));
onStopSignals({ stop, stopAtOnce: stop });

const began = performance.now();
const say = (line: string): void =>
  console.log(`${String(Math.round((performance.now() - began) / 1000)).padStart(4)} s  ${line}`);
const wrong = await rehearseCluster(binaries, say);
for (const line of wrong) console.log(`WRONG ${line}`);
console.log(wrong.length === 0 ? 'the cluster held' : `${wrong.length} faults`);
process.exit(wrong.length === 0 ? 0 : 1);
