/**
 * `npm run chaos -- --minutes 5 --seed 1 [--kills 20 --faults kills --workers 5 --clients 8 --lease 10 --json FILE
 * --quiet --sources]`: runs the service as processes under faults from a seed, checks its promises, and prints a table
 * (docs/proofs.md). Linux only.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { stopServersAtOnce } from '@evaluation/embedded';
import { onStopSignals } from '@evaluation/platform/telemetry/stopSignals';
import { killPrograms } from '../../tests/harness/processes.ts';
import { logOf } from './minutes.ts';
import { tableOf } from './report.ts';
import { runChaos } from './run.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    kills: { type: 'string', default: '12' },
    clients: { type: 'string', default: '8' },
    lease: { type: 'string', default: '10' },
    faults: { type: 'string', default: 'all' },
    workers: { type: 'string', default: '2' },
    cores: { type: 'string', default: '2' },
    facades: { type: 'string', default: '2' },
    sources: { type: 'boolean', default: false },
    json: { type: 'string' },
    quiet: { type: 'boolean', default: false },
  },
});

const stop = (): void => {
  void killPrograms()
    .then(stopServersAtOnce)
    .then(() => process.exit(130));
};
onStopSignals({ stop, stopAtOnce: stop });

const report = await runChaos({
  seed: Number(values.seed),
  minutes: Number(values.minutes),
  killsPerMinute: Number(values.kills),
  clients: Number(values.clients),
  leaseSeconds: Number(values.lease),
  faults: values.faults === 'kills' ? 'kills' : 'all',
  sizes: {
    core: Number(values.cores),
    facade: Number(values.facades),
    worker: Number(values.workers),
    desk: 1,
  },
  isBundled: !values.sources,
  say: (line) => {
    if (!values.quiet) console.log(line);
  },
});
console.log(`\n${logOf(report.log)}\n\n${tableOf(report)}`);
for (const violation of report.violations) console.log(`VIOLATION ${violation}`);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.violations.length === 0 ? 0 : 1;
