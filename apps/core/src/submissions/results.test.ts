import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newTestTables } from '../../test/newTestTables.ts';
import { resultRows, showResults } from './results.ts';

const QUESTIONS = 30;
const PAGE = 50;

const institute = randomUUID();
const exam = randomUUID();
const { database, maker, close } = await newTestTables();
afterAll(close);

beforeAll(async () => {
  await maker.query(
    `insert into exams (id, institute_id, title, mode, status, conducted_on, level, answer_language,
       feedback_language, blind, rubric_version)
     values ($2, $1, 'Exam', 'typed', 'open', '2026-01-01', 'school', 'en', 'en', false, $3)`,
    [institute, exam, PAGE],
  );
  await maker.query(
    `insert into sections (id, institute_id, exam_id, name, position) values ($2, $1, $2, 'A', 1)`,
    [institute, exam],
  );
  await maker.query(
    `insert into questions (id, institute_id, exam_id, section_id, position, label, label_key, type, text, max_marks)
     select gen_random_uuid(), $1, $2, $2, at, at, at, 'long_answer', 'Why?', 2 from generate_series(1, $3::int) at`,
    [institute, exam, QUESTIONS],
  );
  // Each submission has a rubric version of its own.
  await maker.query(
    `insert into rubric_versions (institute_id, exam_id, question_id, version, model_answer)
     select $1, $2, q.id, at, q.label || ' at ' || at from questions q, generate_series(1, $3::int) at`,
    [institute, exam, PAGE],
  );
  await maker.query(
    `insert into candidates (id, institute_id, external_id)
     select gen_random_uuid(), $1, at from generate_series(1, $2::int) at`,
    [institute, PAGE],
  );
  await maker.query(
    `insert into submissions (id, institute_id, exam_id, candidate_id, status, lane, review_reasons, current_run_id,
       rubric_version, questions_total, quote_unit, quote_credits, quote_rate_source, warnings)
     select gen_random_uuid(), $1, $2, id, 'graded', 'typed', '{}', gen_random_uuid(), external_id::int, 1, 'answer', 1,
       'standard', '[]' from candidates`,
    [institute, exam],
  );
  await maker.query(
    `insert into question_results (institute_id, run_id, question_id, status, awarded, max, review_reasons, criteria,
       annotations)
     select $1, s.current_run_id, q.id, 'graded', 1, 2, '{}', '[]', '[]' from submissions s, questions q`,
    [institute],
  );
});

const pageOf = (limit: number) =>
  database.inTenant(institute, async (tx) => {
    let statements = 0;
    const counted = tx.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const { rows } = await resultRows(
      { institute_id: institute },
      { where: sql<boolean>`true`, limit },
    ).execute(counted);
    const results = await showResults(counted, institute, rows, new Set(['model_answer', 'annotations']));
    return { statements, results };
  });

test('a page of results takes as many statements as a single result, with the same content', async () => {
  const [one, page] = [await pageOf(1), await pageOf(PAGE)];
  expect(one.statements).toBeGreaterThan(1);
  expect(page.statements).toBe(one.statements);
  expect(page.results).toHaveLength(PAGE);
  expect(page.results[0]).toEqual(one.results[0]);
});

test('each result of a page has all questions, its marks, and the model answers of its version', async () => {
  const { results } = await pageOf(PAGE);
  for (const { candidate, rubric_version, questions, totals } of results) {
    expect(String(rubric_version)).toBe(candidate.external_id);
    expect(totals).toMatchObject({ awarded: QUESTIONS, max: 2 * QUESTIONS, questions_graded: QUESTIONS });
    expect(questions.map(({ model_answer }) => model_answer)).toEqual(
      Array.from({ length: QUESTIONS }, (_, index) => `${index + 1} at ${candidate.external_id}`),
    );
  }
});
