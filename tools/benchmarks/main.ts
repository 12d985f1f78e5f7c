/**
 * `npm run bench [-- --only read,submit --rounds 5 --scale 1 --no-transactions --json FILE --write]`: measures the
 * service beside its peers, in turns, on one PostgreSQL (docs/benchmarks.md). Linux only, since it reads /proc.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { stopServersAtOnce } from '@evaluation/embedded';
import { onStopSignals } from '@evaluation/platform/telemetry/stopSignals';
import { killPrograms } from '../../tests/harness/processes.ts';
import { machine } from './measuring/machine.ts';
import { measureRow } from './measuring/measureRow.ts';
import { startServers } from './measuring/servers.ts';
import { rowTable, verdictTable, writePage } from './measuring/table.ts';
import { rowsNamed } from './rows/index.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
    'no-transactions': { type: 'boolean', default: false },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const rows = rowsNamed(values.only?.split(',') ?? null);
const options = {
  rounds: Number(values.rounds),
  scale: Number(values.scale),
  countTransactions: !values['no-transactions'],
};

let isStopping = false;
const stop = (): void => {
  if (isStopping) return;
  isStopping = true;
  void killPrograms()
    .then(stopServersAtOnce)
    .then(() => process.exit(130));
};
onStopSignals({ stop, stopAtOnce: stop });

const servers = await startServers();
try {
  const where = machine();
  console.log(where);
  const results = [];
  for (const row of rows) {
    const result = await measureRow(servers, row, options);
    results.push(result);
    console.log(`\n${rowTable(result)}`);
  }
  console.log(`\n${verdictTable(results)}`);
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ machine: where, options, results }, null, 2)}\n`);
  if (values.write) await writePage(where, options, results);
} finally {
  await killPrograms();
  await servers.close();
}
