import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { idOf, newTestTables, pageAfter } from '../../../test/newTestTables.ts';
import type { Position } from '../../command/lists/cursor.ts';
import { registeredRows } from './listRegistered.ts';

const ON_THE_EXAM = 40_000;
const ON_OTHER_EXAMS = 4_000;
const CANDIDATES = 200_000;
const LIMIT = 200;

const institute = randomUUID();
const exam = randomUUID();

const { maker, readingOf, close } = await newTestTables();
afterAll(close);

beforeAll(async () => {
  // Ten registrations share each millisecond. The institute has other exams too.
  await maker.query(
    `insert into candidates (id, institute_id, external_id)
     select ${idOf('at')}, $1, lpad(at::text, 8, '0') from generate_series(1, $2::int) at`,
    [institute, CANDIDATES],
  );
  await maker.query(
    `insert into registrations (id, institute_id, exam_id, candidate_id, updated_at)
     select ${idOf('at')}, $1,
       case when at <= $3 then $2 else ${idOf('at / 500')} end,
       ${idOf('at')}, timestamptz '2026-01-01' + at / 10 * interval '1 millisecond'
     from generate_series(1, $3::int + $4::int) at`,
    [institute, exam, ON_THE_EXAM, ON_OTHER_EXAMS],
  );
  await maker.query(
    `insert into submissions (id, institute_id, exam_id, candidate_id, state, status, lane, current_run_id,
       questions_total, quote_unit, quote_credits, quote_rate_source, warnings, updated_at)
     select id, institute_id, exam_id, candidate_id, 'live', 'graded', 'typed', id, 1, 'answer', 1, 'standard', '[]',
       updated_at
     from registrations where candidate_id::text like '%3'`,
  );
  await maker.query('analyze candidates, registrations, submissions');
});

const readOf = async (position: Position | null) => {
  const page = pageAfter(position, { instituteId: institute, list: 'registrations', defaultLimit: LIMIT });
  const { indexes, mostRows, shown } = await readingOf(
    institute,
    registeredRows({ institute_id: institute }, exam, page),
  );
  return { indexes, mostRows, shown };
};

const positionAt = async (offset: number): Promise<Position> => {
  const { rows } = await maker.query<{ updated_at: Date; id: string }>(
    'select updated_at, id from registrations where exam_id = $1 order by updated_at, id offset $2 limit 1',
    [exam, offset],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('the exam has fewer registrations');
  return { updated_at: row.updated_at.toISOString(), id: row.id };
};

const INDEXES = [
  'candidates_pkey',
  'exams_pkey',
  'one_live_submission',
  'registrations_exam_id_updated_at_id_idx',
];

test('the first, a middle and the last page of 40,000 registrations among 200,000 candidates each read one page of each index', async () => {
  const read = [
    await readOf(null),
    await readOf(await positionAt(ON_THE_EXAM / 2)),
    await readOf(await positionAt(ON_THE_EXAM - LIMIT / 2 - 1)),
  ];
  expect(read).toEqual(
    [LIMIT + 1, LIMIT + 1, LIMIT / 2].map((shown) => ({ indexes: INDEXES, mostRows: shown, shown })),
  );
});
