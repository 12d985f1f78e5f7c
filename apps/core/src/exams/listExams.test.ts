import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { idOf, newTestTables, pageAfter } from '../../test/newTestTables.ts';
import { listedExams } from './listExams.ts';

const EXAMS = 20_000;
const LIMIT = 200;
const institute = randomUUID();

const { maker, readingOf, close } = await newTestTables();
afterAll(close);

beforeAll(async () => {
  // Ten exams share each millisecond, and as many exams are deleted. Each exam has a section and two questions.
  await maker.query(
    `insert into exams (id, institute_id, title, mode, status, conducted_on, level, answer_language,
       feedback_language, blind, question_count, updated_at)
     select ${idOf('at')}, $1, 'Exam', 'typed', case when at % 2 = 0 then 'deleted' else 'open' end::"ExamStatus",
       '2026-01-01', 'school', 'en', 'en', false, 2, timestamptz '2026-01-01' + at / 20 * interval '1 millisecond'
     from generate_series(1, 2 * $2::int) at`,
    [institute, EXAMS],
  );
  await maker.query(
    `insert into sections (id, institute_id, exam_id, name, position)
     select id, institute_id, id, 'A', 1 from exams where status = 'open'`,
  );
  await maker.query(
    `insert into questions (id, institute_id, exam_id, section_id, position, label, label_key, type, text, max_marks)
     select gen_random_uuid(), institute_id, id, id, at, at, at, 'long_answer', 'Why?', 2
     from exams, generate_series(1, 2) at where status = 'open'`,
  );
  await maker.query('analyze exams, sections, questions');
}, 120_000);

test.each([
  ['first', null, LIMIT + 1],
  [
    'last',
    {
      updated_at: new Date(Date.UTC(2026, 0, 1) + Math.floor((2 * EXAMS - 21) / 20)).toISOString(),
      id: '00000000-0000-4000-8000-000000000000',
    },
    20,
  ],
])(
  'at 20,000 exams and as many deleted ones the %s page reads a page of indexes',
  async (_name, position, shown) => {
    const page = pageAfter(position, { instituteId: institute, list: 'exams', defaultLimit: LIMIT });
    const read = await readingOf(institute, listedExams({ institute_id: institute }, page));
    expect(read.shown).toBeGreaterThan(0);
    expect(read.shown).toBeLessThanOrEqual(shown);
    expect(read.indexes).toContain('exams_listed');
    // Reads the two long answers of each exam on the page, and no other rows.
    expect(read.mostRows).toBeLessThanOrEqual(2 * (LIMIT + 1));
  },
);
