import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { newTestCore } from '../../test/newTestCore.ts';
import { removeReadings } from './removeReadings.ts';

const core = await newTestCore({ READING_RETENTION_DAYS: '7' });
afterAll(core.close);

test('page readings are deleted after READING_RETENTION_DAYS, and younger ones are kept', async () => {
  const [old, young] = [randomUUID(), randomUUID()];
  await core.client.query(
    `insert into page_readings (institute_id, run_id, first_page, pages, created_at)
     select gen_random_uuid(), $1::uuid, page, '[]'::jsonb, now() - interval '8 days' from generate_series(1, 250) page
     union all
     select gen_random_uuid(), $2::uuid, page, '[]'::jsonb, now() - interval '6 days' from generate_series(1, 3) page`,
    [old, young],
  );
  const [first, second] = await Promise.all([removeReadings(core.services), removeReadings(core.services)]);
  expect(first + second + (await removeReadings(core.services))).toBe(250);
  expect(
    (await core.client.query('select run_id, count(*)::int from page_readings group by 1')).rows,
  ).toEqual([{ run_id: young, count: 3 }]);
});
