import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PlanReading } from '@evaluation/test-services';
import { idOf, newTestTables, pageAfter } from '../../test/newTestTables.ts';
import type { Page } from '../command/lists/page.ts';
import { queueRows } from '../marking/queue/openSubmissions.ts';
import { MOST_COUNTED, overviewRows } from '../exams/examOverviews.ts';
import { registeredRows } from './markBook.ts';
import { ofFeed } from './feed.ts';
import { liveOfExam } from './listOfExam.ts';
import { submissionRows } from './representation.ts';
import { resultRows } from './results.ts';

const SUBMISSIONS = 1_000_000;
/** Candidates of the large exam, with one submission each. */
const CANDIDATES = 100_000;
const LIMIT = 200;
/** Registrations of each other exam. */
const REGISTERED = 20;
/** Rows of the index that a filter of a page may skip. */
const PASSED_OVER = 5;

const institute = randomUUID();
const exam = randomUUID();

const { maker, readingOf, close } = await newTestTables();
afterAll(close);

beforeAll(async () => {
  await maker.query(
    `insert into exams (id, institute_id, title, mode, status, conducted_on, level, answer_language,
       feedback_language, blind)
     select coalesce(id, $2), $1, 'Exam', 'typed', 'open', '2026-01-01', 'school', 'en', 'en', false
     from (select ${idOf('at')} as id from generate_series(0, $3::int / 500) at union all select null)`,
    [institute, exam, SUBMISSIONS],
  );
  await maker.query(
    `insert into candidates (id, institute_id, external_id)
     select ${idOf('at')}, $1, lpad(at::text, 8, '0') from generate_series(0, $2::int) at`,
    [institute, CANDIDATES],
  );
  // Ten submissions share each millisecond. One in ten belongs to the large exam, where one in a thousand is flagged
  // and two are finalized. The others belong to exams of some hundred submissions, where one in a hundred is flagged.
  // So most flagged submissions of the institute are of other exams. Every exam has replaced and deleted submissions.
  await maker.query(
    `insert into submissions (id, institute_id, exam_id, candidate_id, state, status, lane, review_reasons,
       current_run_id, questions_total, quote_unit, quote_credits, quote_rate_source, warnings, updated_at,
       needs_review, finalized_at)
     select ${idOf('at')}, $1, case when at % 10 = 0 then $2 else ${idOf('at / 500')} end,
       ${idOf('case when at % 10 = 0 then at / 10 else at % 100000 end')},
       case when at % 21 = 0 then 'replaced' when at % 23 = 0 then 'deleted' else 'live' end::"SubmissionState",
       'graded', 'typed', '{}', ${idOf('at')}, 1, 'answer', 1, 'standard', '[]',
       timestamptz '2026-01-01' + at / 10 * interval '1 millisecond', at % 10000 = 0 or at % 100 = 1,
       case when at % 5000 = 0 then now() end
     from generate_series(1, $3::int) at`,
    [institute, exam, SUBMISSIONS],
  );
  await maker.query(
    `insert into checked_copies (institute_id, submission_id, marks_revision, object_key, size_bytes)
     select $1, ${idOf('at')}, 0, 'key', 1 from generate_series(1, $2::int / 10) at`,
    [institute, SUBMISSIONS],
  );
  await maker.query(
    `insert into registrations (id, institute_id, exam_id, candidate_id)
     select ${idOf('at')}, $1, case when at <= $3 then $2 else ${idOf(`at / ${REGISTERED}`)} end, ${idOf('at')}
     from generate_series(1, $4::int) at`,
    [institute, exam, 2 * MOST_COUNTED, CANDIDATES],
  );
  await maker.query('analyze candidates, exams, submissions, checked_copies, registrations');
}, 120_000);

/** Opens a page that starts after a fraction `part` of all submissions, by time. */
const pageFrom = (part: number, filters: { updated_since?: string } = {}): Page =>
  pageAfter(
    part === 0 ? null : { updated_at: timeAt(part), id: '00000000-0000-4000-8000-000000000000' },
    { instituteId: institute, list: 'l', defaultLimit: LIMIT },
    filters,
  );
const timeAt = (part: number): string =>
  new Date(Date.UTC(2026, 0, 1) + Math.floor((part * SUBMISSIONS) / 10)).toISOString();

const readOf = (statement: RawBuilder<unknown>): Promise<PlanReading> => readingOf(institute, statement);

const FIRST = 0;
const MIDDLE = 0.5;
const LAST = 0.9999;

test.each([FIRST, MIDDLE, LAST])(
  'the feed of a million submissions reads one page of its index, from fraction %d on',
  async (part) => {
    const pages = [pageFrom(part), pageFrom(0, { updated_since: timeAt(part) })];
    for (const page of pages) {
      const read = await readOf(
        submissionRows({ institute_id: institute }, ofFeed({ institute_id: institute }, page)),
      );
      expect(read.indexes).toContain('submissions_institute_id_updated_at_id_idx');
      expect(read).toMatchObject({ scanned: [] });
      expect(read.shown).toBeGreaterThan(LIMIT / 4);
      expect(read.mostRows).toBe(read.shown);
    }
  },
);

describe('the lists of an exam of 100,000 submissions, among a million', () => {
  type Filters = Parameters<typeof liveOfExam>[2];
  const FLAGGED = 'submissions_flagged';
  const FINALIZED = 'submissions_finalized';
  const LIVE = 'submissions_live';

  test.each<[Filters, string]>([
    [{}, LIVE],
    [{ needs_review: 'true' }, FLAGGED],
    [{ needs_review: 'false' }, LIVE],
    [{ finalized: 'true' }, FINALIZED],
    [{ finalized: 'false' }, LIVE],
    [{ finalized: 'false', needs_review: 'true' }, FLAGGED],
    [{ finalized: 'false', needs_review: 'false' }, LIVE],
  ])('submissions by %o read a page of %s', async (filters, index) => {
    for (const page of [pageFrom(FIRST), pageFrom(MIDDLE), pageFrom(0, { updated_since: timeAt(MIDDLE) })]) {
      const read = await readOf(submissionRows({ institute_id: institute }, liveOfExam(exam, page, filters)));
      expect(read.indexes).toContain(index);
      expect(read).toMatchObject({ scanned: [] });
      expect(read.mostRows).toBeLessThanOrEqual(LIMIT + 1 + PASSED_OVER);
    }
  });

  test.each<[Filters, string]>([
    [{}, LIVE],
    [{ finalized: 'true' }, FINALIZED],
    [{ finalized: 'false' }, LIVE],
  ])('results by %o read a page of %s', async (filters, index) => {
    for (const page of [pageFrom(FIRST), pageFrom(MIDDLE), pageFrom(0, { updated_since: timeAt(MIDDLE) })]) {
      const read = await readOf(resultRows({ institute_id: institute }, liveOfExam(exam, page, filters)));
      expect(read.indexes).toContain(index);
      expect(read).toMatchObject({ scanned: [] });
      expect(read.mostRows).toBeLessThanOrEqual(LIMIT + 1 + PASSED_OVER);
    }
  });
});

test('the review queue of a million submissions reads one page of its index', async () => {
  const choice = {
    examId: null,
    reason: null,
    flagged: false,
    ownOnly: false,
    after: null,
    window: 51,
    limit: 50,
  };
  const read = await readOf(queueRows({ institute_id: institute }, choice));
  expect(read.indexes).toContain('submissions_to_review');
  expect(read).toMatchObject({ scanned: [] });
  const filtered = await readOf(
    queueRows({ institute_id: institute }, { ...choice, reason: 'low_confidence', window: 100 }),
  );
  expect(filtered.indexes).toContain('submissions_to_review');
  expect(filtered).toMatchObject({ scanned: [] });
  expect(Math.max(read.mostRows, filtered.mostRows)).toBeLessThanOrEqual(100);
});

describe('the lists of the desk among a million submissions', () => {
  const staff = { institute_id: institute, staff: { role: 'examiner' } };

  test('a page of exams reads its index, and counts the submissions of these exams by partial indexes', async () => {
    const read = await readOf(overviewRows(staff, sql`e.id <> ${exam}`, LIMIT));
    expect(read.indexes).toEqual(
      expect.arrayContaining(['exams_of_institute', 'submissions_flagged', 'submissions_not_graded']),
    );
    expect(read).toMatchObject({ scanned: [], shown: LIMIT });
    expect(read.mostRows).toBeLessThanOrEqual(LIMIT * REGISTERED);
  });

  test('the counts of an exam of 100,000 submissions scan no table', async () => {
    const read = await readOf(overviewRows(staff, sql`e.id = ${exam}`, 1));
    expect(read).toMatchObject({ scanned: [], shown: 1 });
    expect(read.mostRows).toBeLessThanOrEqual(2 * MOST_COUNTED);
  });

  test('a page of the copies of an exam reads a page of its registrations', async () => {
    for (const cursor of [undefined, '00000000-0000-4000-8000-000000002000']) {
      const filter = {
        show: 'all',
        marks: true,
        limit: LIMIT,
        ...(cursor === undefined ? {} : { cursor }),
      } as const;
      const read = await readOf(
        registeredRows({ institute_id: institute }, { id: exam, blind: false, rubric_version: 1 }, filter),
      );
      expect(read).toMatchObject({ scanned: [], shown: LIMIT + 1 });
      expect(read.mostRows).toBeLessThanOrEqual(LIMIT + 1 + PASSED_OVER);
    }
  });
});
