import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { newTestCore } from '../../../test/newTestCore.ts';
import { dueReadings, removeReadings } from './removeReadings.ts';

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
  const [due] = dueReadings(7);
  const remove = () => removeReadings(core.services, due);
  const [first, second] = await Promise.all([remove(), remove()]);
  expect(first + second + (await remove())).toBe(250);
  expect(
    (await core.client.query('select run_id, count(*)::int from page_readings group by 1')).rows,
  ).toEqual([{ run_id: young, count: 3 }]);
});

test('an institute that keeps readings for fewer days loses the older ones, and its neighbour keeps them', async () => {
  const [shorter, longer, neighbour] = [randomUUID(), randomUUID(), randomUUID()];
  await core.client.query('truncate page_readings');
  await core.client.query(
    `insert into institute_settings (institute_id, readings_days, changed_by)
     values ($1, 2, gen_random_uuid()), ($2, 300, gen_random_uuid())`,
    [shorter, longer],
  );
  await core.client.query(
    `insert into page_readings (institute_id, run_id, first_page, pages, created_at)
     select institute, institute, days, '[]'::jsonb, now() - make_interval(days => days, hours => 1)
     from unnest($1::uuid[]) institute, unnest(array[1, 3, 6, 8]) days`,
    [[shorter, longer, neighbour]],
  );
  for (const due of dueReadings(7)) await removeReadings(core.services, due);
  const { rows } = await core.client.query(
    'select run_id, array_agg(first_page order by first_page) as days from page_readings group by 1',
  );
  const left = new Map(rows.map(({ run_id, days }) => [run_id, days]));
  // More days than the operator's have no effect.
  expect([shorter, longer, neighbour].map((institute) => left.get(institute))).toEqual([
    [1],
    [1, 3, 6],
    [1, 3, 6],
  ]);
});
