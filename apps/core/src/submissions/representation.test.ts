import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newTestTables } from '../../test/newTestTables.ts';
import { selectSubmissions } from './representation.ts';

const institute = randomUUID();
const WAITING = 51;
const unmeasured = { of: () => null };
const FINISHED = 30_000;

const { database, maker, close } = await newTestTables();
afterAll(close);

beforeAll(async () => {
  const exam = randomUUID();
  await maker.query(
    `insert into exams (id, institute_id, title, mode, status, conducted_on, level, answer_language, feedback_language, blind)
     values ($1, $2, 'E', 'handwritten', 'open', '2026-01-01', 'school', 'en', 'en', false)`,
    [exam, institute],
  );
  await maker.query(
    `insert into candidates (id, institute_id, external_id)
     select gen_random_uuid(), $1, 'C' || n from generate_series(1, ${WAITING + 1}) n`,
    [institute],
  );
  // One submission has all finished runs, in the other lane; the other submissions wait in their lane.
  await maker.query(
    `insert into submissions (id, institute_id, exam_id, candidate_id, status, lane, review_reasons, current_run_id,
       questions_total, quote_unit, quote_credits, quote_rate_source, warnings)
     select gen_random_uuid(), $1, $2, id, case when external_id = 'C1' then 'graded' else 'queued' end::"SubmissionStatus",
       case when external_id = 'C1' then 'typed' else 'copy' end::"Lane", '{}', gen_random_uuid(), 1, 'page', 1, 'standard', '[]'
     from candidates`,
    [institute, exam],
  );
  await maker.query(
    `insert into runs (id, institute_id, submission_id, lane, attempt, status, price)
     select current_run_id, institute_id, id, lane, 1, 'queued', 1 from submissions where status = 'queued'`,
  );
  await maker.query(
    `insert into runs (id, institute_id, submission_id, lane, attempt, status, price, claimed_at, finished_at)
     select gen_random_uuid(), s.institute_id, s.id, 'typed', n, 'completed', 1, now() - interval '10 s', now()
     from submissions s, generate_series(1, ${FINISHED}) n where s.status = 'graded'`,
  );
  await maker.query('analyze');
});

test('a page of waiting submissions does not read finished runs', async () => {
  const { submissions, read } = await database.inTenant(institute, async (tx) => {
    const found = await selectSubmissions(tx, { institute_id: institute }, unmeasured, {
      where: sql<boolean>`true`,
      limit: 51,
    });
    const { rows } = await sql<{ read: number }>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
      from pg_stat_xact_user_tables where relname = 'runs'`.execute(tx);
    return { submissions: found, read: rows[0]?.read ?? Number.POSITIVE_INFINITY };
  });
  expect(submissions).toHaveLength(51);
  expect(read).toBeLessThan(WAITING * WAITING + 200);
});

test('queue positions count the institute’s own submissions ahead in the lane; 0 is next', async () => {
  const submissions = await database.inTenant(institute, (tx) =>
    selectSubmissions(tx, { institute_id: institute }, unmeasured, {
      where: sql<boolean>`s.status = 'queued'`,
    }),
  );
  const positions = submissions.map(({ queue }) => queue?.position ?? -1).toSorted((a, b) => a - b);
  expect(positions).toEqual(Array.from({ length: WAITING }, (_, index) => index));
});
