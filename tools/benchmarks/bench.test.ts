import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloneDatabase, newBucket, newLanes, startModelServer } from '@evaluation/test-services';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killPrograms } from '../../tests/harness/processes.ts';
import { measureRow } from './measuring/measureRow.ts';
import { cpuInAll, median } from './measuring/rounds.ts';
import type { Servers } from './measuring/servers.ts';
import { rowTable, verdictTable } from './measuring/table.ts';
import { allRows, rowsNamed } from './rows/index.ts';

let servers: Servers;

/** Uses the servers of the test run. `npm run bench` starts servers of its own, with fsync. */
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-test-'));
  const model = await startModelServer();
  servers = {
    folder,
    postgresPid: process.pid,
    natsUrl: newLanes().url,
    s3: await newBucket(),
    model,
    newDatabase: async () => {
      const { url, superuserUrl, drop } = await cloneDatabase();
      const observer = new pg.Client({ connectionString: superuserUrl });
      await observer.connect();
      return {
        name: new URL(url).pathname.slice(1),
        url,
        superuserUrl,
        observer,
        drop: async () => {
          await observer.end();
          await drop();
        },
      };
    },
    close: async () => {
      await model.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
afterAll(async () => {
  await killPrograms();
  await servers.close();
});

test.each(allRows.filter(({ isCheap }) => isCheap === true).map(({ name }) => name))(
  'the row %s measures the service and its peers, and prints them in one table',
  { timeout: 120_000 },
  async (name) => {
    const [row] = rowsNamed([name]);
    if (row === undefined) throw new Error('no row');
    const result = await measureRow(servers, row, { rounds: 1, scale: 0.02, countTransactions: false });
    expect(result.measured.length).toBeGreaterThan(1);
    for (const side of result.measured) {
      expect(side.rounds).toHaveLength(1);
      expect(side.rounds[0]?.seconds).toBeGreaterThan(0);
      expect(cpuInAll(side)).toBeGreaterThanOrEqual(0);
      expect(rowTable(result)).toContain(`| ${side.side} |`);
    }
    for (const { what, value } of result.verdicts) {
      expect(value, what).not.toBeNull();
      expect(verdictTable([result])).toContain(what);
    }
  },
);

test('a median is the middle of the rounds', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([7])]).toEqual([2, 2.5, 7]);
});
