/**
 * `npm run growth [-- --submissions N --waiting N --institutes N --rounds N --hold]`: shows which endpoint slows when
 * tables grow. Two copies of the service, facade and core as processes, run on one PostgreSQL: one with 1,000 graded
 * submissions, one with `submissions` graded ones (20 question results each), `waiting` waiting ones of one
 * institute, and `institutes` other institutes with 20 waiting runs each. Requests go to both in turns, so that the
 * load of the machine is the same for both. An endpoint whose median is more than 1.5 times as long is explained.
 * Rows are typed submissions without files. They are written by SQL with triggers off, from one submission that the
 * service itself accepted. No worker runs, so what waits stays.
 */
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startNats, startPostgres, startS3, stopServersAtOnce } from '@evaluation/embedded';
import { onStopSignals } from '@evaluation/platform/telemetry/stopSignals';
import { killPrograms } from '../../../tests/harness/processes.ts';
import { comparedTable, compare, slowed, type Compared } from './compare.ts';
import { fill } from './fill.ts';
import { probesOf } from './probes.ts';
import { startSite, type Servers } from './site.ts';
import { acceptsPerSecond } from './submitting.ts';

/** The plans in a part of PostgreSQL's log: the slowest plan of each statement, slowest first. */
const statementsOf = (log: string): string[] => {
  const slowest = new Map<string, { ms: number; plan: string }>();
  for (const [, ms = '0', plan = ''] of log.matchAll(/duration: ([\d.]+) ms {2}plan:\n((?:\t.*\n)+)/g)) {
    const statement = plan.slice(0, 300);
    if (Number(ms) > (slowest.get(statement)?.ms ?? 0)) slowest.set(statement, { ms: Number(ms), plan });
  }
  return [...slowest.values()]
    .toSorted((a, b) => b.ms - a.ms)
    .map(({ ms, plan }) => `${ms.toFixed(1)} ms\n${plan}`);
};

const { values } = parseArgs({
  options: {
    submissions: { type: 'string', default: '100000' },
    waiting: { type: 'string', default: '20000' },
    institutes: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '100' },
    hold: { type: 'boolean', default: false },
  },
});
const SMALL = { submissions: 1000, waiting: 0, institutes: 0 };
const large = {
  submissions: Number(values.submissions),
  waiting: Number(values.waiting),
  institutes: Number(values.institutes),
};

const folder = await mkdtemp(join(tmpdir(), 'growth-'));
// As root, PostgreSQL runs as another account, which must be able to enter the folder.
await chmod(folder, 0o711);
const stopping: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
const stopAll = async (): Promise<void> => {
  for (const stop of stopping.splice(0).toReversed())
    await stop().catch((error: unknown) => console.error(error));
};
onStopSignals({
  stop: () =>
    void killPrograms()
      .then(stopAll)
      .then(() => process.exit(130)),
  stopAtOnce: () =>
    void killPrograms()
      .then(stopServersAtOnce)
      .then(() => process.exit(130)),
});

try {
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    durable: false,
    onProgress: () => {},
  });
  stopping.push(() => postgres.close());
  const nats = await startNats({ dataDir: join(folder, 'nats'), onProgress: () => {} });
  stopping.push(() => nats.close());
  const s3 = await startS3({ dataDir: join(folder, 's3') });
  stopping.push(() => s3.close());
  const servers: Servers = { postgres, natsUrl: nats.url, s3 };

  const small = await startSite(servers, 'small');
  const big = await startSite(servers, 'large');
  const smallPlaces = await fill(small, SMALL);
  const bigPlaces = await fill(big, large, (line) => console.error(line));

  const [smallProbes, bigProbes] = [await probesOf(small, smallPlaces), await probesOf(big, bigPlaces)];
  const rows: Compared[] = [];
  for (const [index, probe] of bigProbes.entries()) {
    const other = smallProbes[index];
    if (other?.name !== probe.name) throw new Error(`no probe of the small service for ${probe.name}`);
    rows.push(await compare(probe.name, other.call, probe.call, Number(values.rounds)));
  }
  console.log(
    `${large.submissions} submissions, ${large.submissions * 20} results, ${large.waiting} waiting, ` +
      `${large.institutes} other institutes with ${large.institutes * 20} waiting runs, beside ${SMALL.submissions} submissions`,
  );
  console.log(comparedTable(rows));

  const accepts = await acceptsPerSecond([
    { api: small.api, examId: smallPlaces.waitingExamId },
    { api: big.api, examId: bigPlaces.waitingExamId },
  ]);
  const [few = 0, many = 0] = accepts;
  console.log(
    `accepts of one exam by 20 clients: ${few.toFixed(1)}/s and ${many.toFixed(1)}/s, ratio ${(many / few).toFixed(2)}`,
  );

  const log = join(folder, 'postgres', 'postgres.log');
  for (const { name } of rows.filter(slowed)) {
    const probe = bigProbes.find((each) => each.name === name);
    if (probe === undefined) continue;
    const from = (await stat(log)).size;
    const again = await big.explained(probe.path);
    const text = (await readFile(log)).subarray(from).toString('utf8');
    console.log(`\n${name} (${again}):\n${statementsOf(text).join('\n\n')}`);
  }
  if (values.hold) {
    console.log(`holding ${big.superuserUrl}`);
    await new Promise(() => setInterval(() => {}, 60_000));
  }
} finally {
  await killPrograms();
  await stopAll();
}
