import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { createLogger, metrics } from '@evaluation/platform/telemetry';
import { openTestDatabase } from '@evaluation/test-services';
import { grant } from '../ledger.ts';
import { instituteIds, reconcileSome } from './reconcile.ts';
import { reconcileAll, startReconciler } from './reconciler.ts';

const { database, close } = await openTestDatabase(8);
afterAll(close);

interface Line {
  level: string;
  msg: string;
  institute_id?: string;
  findings?: unknown;
  institutes?: number;
}

/** Services for the reconciler, with the lines that it logs. */
const listening = () => {
  const lines: Line[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(JSON.parse(chunk.toString()) as Line);
      done();
    },
  });
  return {
    lines,
    services: { database, log: createLogger({ service: 'core', level: 'info', stream }) },
  };
};

const newInstitute = async (): Promise<string> => {
  const id = randomUUID();
  await database.inTenant(id, async (tx) => {
    await tx.insertInto('credit_accounts').values({ institute_id: id }).execute();
    await grant(tx, id, 5);
  });
  await database.control.institutes.create({ data: { id, name: 'Any' } });
  return id;
};

/** Gauges of the rounds in this process; undefined if there are none. */
const readGauges = async (): Promise<{ differences: number | undefined; at: number | undefined }> => {
  const [differences, at] = await Promise.all(
    [metrics.reconcileDifferences, metrics.reconcileLastSuccess].map(
      async (gauge) => (await gauge.get()).values[0]?.value,
    ),
  );
  return { differences, at };
};

test('the gauges have no value before a round has finished, also after a failed or aborted round', async () => {
  // Other test files in this process may have set the gauges.
  for (const gauge of [metrics.reconcileDifferences, metrics.reconcileLastSuccess]) gauge.remove();
  await newInstitute();
  const { services } = listening();
  const rename = (from: string, to: string) =>
    database.acrossInstitutes((tx) => sql`alter table ${sql.id(from)} rename to ${sql.id(to)}`.execute(tx));
  await rename('credit_entries', 'entries_out_of_reach');
  await expect(reconcileAll(services)).rejects.toThrow('credit_entries');
  await rename('entries_out_of_reach', 'credit_entries');
  expect(await readGauges()).toEqual({});
  const stopping = new AbortController();
  stopping.abort();
  await reconcileAll(services, stopping.signal);
  expect(await readGauges()).toEqual({});
});

test('a round logs an error line for each institute with findings, and one line at the end', async () => {
  const [broken] = [await newInstitute(), await newInstitute()];
  await database.inTenant(broken, (tx) =>
    sql`update credit_accounts set balance = 4 where institute_id = ${broken}`.execute(tx),
  );
  const { lines, services } = listening();
  expect(await reconcileAll(services)).toBe(true);
  expect(lines).toMatchObject([
    {
      level: 'error',
      institute_id: broken,
      findings: [
        { finding: 'balance_differs', subject: broken, expected: '5.0000', found: '4.0000', total: 1 },
      ],
    },
    { level: 'info', msg: 'reconciled', institutes: 3, findings: 1 },
  ]);
  const found = await readGauges();
  expect(found.differences).toBe(1);
  expect(Math.abs(Date.now() / 1000 - (found.at ?? 0))).toBeLessThan(60);
  // Another replica holds the lock: this replica keeps its last values until that round ends.
  await database.acrossInstitutes(async (tx) => {
    await sql`select pg_advisory_xact_lock(7205834116)`.execute(tx);
    expect(await reconcileAll(services)).toBe(false);
  });
  expect(await readGauges()).toEqual(found);
  await database.inTenant(broken, (tx) =>
    sql`update credit_accounts set balance = 5 where institute_id = ${broken}`.execute(tx),
  );
});

test('of replicas that start a round at once, one runs it', async () => {
  // Enough institutes that the first round is still running when the last one starts.
  for (let more = 0; more < 10; more += 1) await newInstitute();
  const rounds = await Promise.all([1, 2, 3].map(() => reconcileAll(listening().services)));
  expect(rounds.filter((did) => did)).toHaveLength(1);
});

test('rounds start at the interval and end with the reconciler; 0 disables them', async () => {
  const { lines, services } = listening();
  const never = startReconciler(services, 0);
  const reconciler = startReconciler(services, 50);
  while (lines.length < 2) await wait(10);
  await reconciler.close();
  await never.close();
  const after = lines.length;
  expect(lines.every(({ msg }) => msg === 'reconciled')).toBe(true);
  expect(await reconcileAll(services)).toBe(true);
  expect(lines).toHaveLength(after + 1);
});

test('reconcileSome visits institutes by id, in parts without gaps', async () => {
  const all = await Array.fromAsync(instituteIds(database));
  expect(all).toEqual(all.toSorted());
  const middle = all[4];
  expect(await Array.fromAsync(instituteIds(database, middle ?? ''))).toEqual(all.slice(5));
  expect(await reconcileSome(database, { after: middle })).toMatchObject({
    institutes: all.length - 5,
    next: null,
  });
});
