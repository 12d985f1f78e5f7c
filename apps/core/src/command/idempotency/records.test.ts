import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { openTestDatabase } from '@evaluation/test-services';
import { afterAll, expect, test } from 'vitest';
import { lockKey, storeOutcome, sweepOutcomes } from './records.ts';

const { database, close } = await openTestDatabase(2);
afterAll(close);

test('outcomes of all institutes are deleted after 48 hours', async () => {
  const kept: string[] = [];
  for (const hours of [47, 49]) {
    const institute = randomUUID();
    kept.push(institute);
    await database.inTenant(institute, async (tx) => {
      await storeOutcome(tx, institute, { key: 'k', fingerprint: 'f' }, { body: { id: 1 } });
      await sql`update idempotency_records set created_at = clock_timestamp() - make_interval(hours => ${hours})
        where institute_id = ${institute}`.execute(tx);
    });
  }
  const found = () =>
    Promise.all(
      kept.map((institute) =>
        database.inTenant(institute, async (tx) => (await lockKey(tx, institute, 'k')).known),
      ),
    );
  const before = await found();
  expect(before).toEqual([{ fingerprint: 'f', outcome: { body: { id: 1 } } }, null]);
  expect(await sweepOutcomes({ database })).toBe(1);
  expect(await sweepOutcomes({ database })).toBe(0);
  expect(await found()).toEqual(before);
});
