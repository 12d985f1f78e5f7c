import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { approveSeen } from '../../../../test/approveSeen.ts';
import { makeGuideExam, markAsDeserved, type GuideExam } from '../../../../test/guideExam.ts';
import { newTestCore } from '../../../../test/newTestCore.ts';
import { readPagesOfSubmission } from '../../../grading/copyPages/pagesOfSubmission.ts';
import { setGuide } from '../../../marking/guide/settings.ts';
import { finalizeExam } from '../../../marking/review/finalizeExam.ts';
import { readFinalizeChecklist } from '../../../marking/review/finalizeChecklist.ts';
import { overrideMark } from '../../../marking/review/overrideMark.ts';
import { countReviewQueue, listReviewQueue, QueueQuery } from '../../../marking/queue/openSubmissions.ts';
import { readAgreement } from '../../../marking/statistics/agreementOfExam.ts';
import { readMarksDistribution } from '../../../marking/statistics/marksDistribution.ts';
import { readLearning } from '../../../marking/statistics/readLearning.ts';
import { MarksQuery, readMarksOfExam } from '../../../submissions/marksOfExam.ts';
import { readResultOf } from '../../../submissions/results.ts';

const { services, client, close } = await newTestCore();
afterAll(close);

const queue = ({ actor }: Pick<GuideExam, 'actor'>, query: Partial<QueueQuery> = {}) =>
  listReviewQueue(services, actor, QueueQuery.parse(query));

const wholeQueue = async (guide: GuideExam, query: Partial<QueueQuery>) => {
  const found: Awaited<ReturnType<typeof queue>>['data'] = [];
  let pages = 0;
  for (let cursor: string | undefined; ;) {
    const page = await queue(guide, { ...query, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.data);
    pages += 1;
    if (page.next_cursor === null) return { found, pages };
    cursor = page.next_cursor;
  }
};

const set = (guide: GuideExam, index: number, columns: string) =>
  client.query(`update submissions set ${columns} where id = $1`, [guide.submissions[index]?.id]);

const idAt = (guide: GuideExam, index: number): string => guide.submissions[index]?.id ?? '';

describe('the review queue', () => {
  test('lists each flagged submission once, the longest waiting first, with the reasons of its questions', async () => {
    const guide = await makeGuideExam(client, { candidates: 5 });
    await set(guide, 1, `review_reasons = '{unassigned_writing}', updated_at = now() - interval '1 hour'`);
    await set(guide, 2, `status = 'failed'`);
    await set(guide, 3, `needs_review = false`);
    await set(guide, 4, `finalized_at = now()`);
    const { found } = await wholeQueue(guide, { limit: 2 });
    expect(found).toHaveLength(3);
    expect(new Set(found.map(({ submission_id }) => submission_id))).toEqual(
      new Set([0, 1, 2].map((index) => idAt(guide, index))),
    );
    expect(found[0]).toMatchObject({
      submission_id: idAt(guide, 1),
      exam: { id: guide.exam, title: 'Exam' },
      candidate: { external_id: 'c2' },
      reasons: ['unassigned_writing'],
      questions: [
        { question_id: guide.questions[0], label: '1', confidence: 0.5, reasons: ['baseline_grader'] },
        { question_id: guide.questions[1], label: '2', confidence: 0.5, reasons: ['baseline_grader'] },
      ],
    });
    expect(found.find(({ submission_id }) => submission_id === idAt(guide, 2))).toMatchObject({
      reasons: ['failed'],
      questions: [],
    });
  });

  test('filters by exam and by reason, page by page, and counts the same', async () => {
    const guide = await makeGuideExam(client, { candidates: 6 });
    await set(guide, 0, `status = 'failed'`);
    await set(guide, 5, `status = 'failed'`);
    await set(guide, 3, `review_reasons = '{unreadable_pages}'`);
    const idsOf = async (query: Partial<QueueQuery>) =>
      (await wholeQueue(guide, query)).found.map(({ submission_id }) => submission_id).toSorted();
    const at = (...indexes: number[]) => indexes.map((index) => idAt(guide, index)).toSorted();
    expect(await idsOf({ reason: 'failed', limit: 1 })).toEqual(at(0, 5));
    expect(await idsOf({ reason: 'unreadable_pages' })).toEqual(at(3));
    expect(await idsOf({ reason: 'baseline_grader', exam_id: guide.exam, limit: 3 })).toEqual(at(1, 2, 3, 4));
    expect(await idsOf({ reason: 'low_confidence' })).toEqual([]);
    expect(await countReviewQueue(services, guide.actor)).toEqual({
      counted: 6,
      flagged: 0,
      own: null,
      is_complete: true,
      exams: [{ exam_id: guide.exam, title: 'Exam', submissions: 6 }],
      reasons: [
        { reason: 'baseline_grader', submissions: 4 },
        { reason: 'failed', submissions: 2 },
        { reason: 'unreadable_pages', submissions: 1 },
      ],
    });
  });

  test('a filter that matches few submissions continues where it stopped to look', async () => {
    const guide = await makeGuideExam(client, { candidates: 700 });
    await set(guide, 650, `status = 'failed', updated_at = now() + interval '1 hour'`);
    const first = await queue(guide, { reason: 'failed' });
    expect(first).toMatchObject({ data: [], has_more: true });
    const { found, pages } = await wholeQueue(guide, { reason: 'failed' });
    expect(found.map(({ submission_id }) => submission_id)).toEqual([idAt(guide, 650)]);
    expect(pages).toBe(2);
  });

  test('a submission leaves the queue with its last open question or its approval', async () => {
    const guide = await makeGuideExam(client, { candidates: 2 });
    const give = (question: string) =>
      overrideMark(services, guide.actor, idAt(guide, 0), question, { reviewer: 'T', awarded: 1 });
    await give(guide.questions[0]);
    const [open] = (await queue(guide)).data.filter(({ submission_id }) => submission_id === idAt(guide, 0));
    expect(open?.questions.map(({ label }) => label)).toEqual(['2']);
    await give(guide.questions[1]);
    await approveSeen(services, guide.actor, idAt(guide, 1));
    expect((await queue(guide)).data).toEqual([]);
  });

  test('names are absent on a blind exam', async () => {
    const guide = await makeGuideExam(client, { candidates: 1 });
    await client.query(`update candidates set name = 'Asha', roll_number = '7' where institute_id = $1`, [
      guide.institute,
    ]);
    expect((await queue(guide)).data[0]?.candidate).toMatchObject({ name: 'Asha', roll_number: '7' });
    await client.query('update exams set blind = true where id = $1', [guide.exam]);
    expect((await queue(guide)).data[0]?.candidate).toMatchObject({ name: null, roll_number: '7' });
    const { data } = await readMarksOfExam(services, guide.actor, guide.exam, MarksQuery.parse({}));
    expect(data[0]?.candidate.name).toBeNull();
  });
});

test('the checklist has each live submission under one kind, and names those that wait longest', async () => {
  const guide = await makeGuideExam(client, { candidates: 16 });
  const states = ['queued', 'grading', 'cancelled', 'failed', 'partially_graded'];
  for (const [index, status] of states.entries()) await set(guide, index, `status = '${status}'`);
  await set(guide, 5, `needs_review = false`);
  await set(guide, 6, `review_reasons = '{unreadable_pages}'`);
  await set(guide, 7, `state = 'deleted'`);
  await client.query(
    `insert into registrations (id, institute_id, exam_id, candidate_id)
     select candidate, $1, $2, candidate from unnest($3::uuid[]) candidate`,
    [guide.institute, guide.exam, guide.submissions.map(({ candidate }) => candidate)],
  );
  const read = () => readFinalizeChecklist(services, guide.actor, guide.exam);
  const before = await read();
  expect(before).toMatchObject({ status: 'open', submissions: 15, finalized: 0 });
  expect(before.open.map(({ kind, submissions }) => [kind, submissions])).toEqual([
    ['running', 2],
    ['cancelled', 1],
    ['failed', 1],
    ['partially_graded', 1],
    ['needs_review', 9],
    ['ready', 1],
  ]);
  expect(before.open.find(({ kind }) => kind === 'failed')?.first).toEqual([
    { submission_id: idAt(guide, 3), external_id: 'c4' },
  ]);
  expect(before.pages_not_accounted_for).toEqual({
    submissions: 1,
    first: [{ submission_id: idAt(guide, 6), external_id: 'c7' }],
  });
  expect(before.without_submission).toMatchObject({ candidates: 1, first: [{ external_id: 'c8' }] });

  await finalizeExam(services, guide.actor, guide.exam, { all_graded: true });
  const after = await read();
  expect(after).toMatchObject({ finalized: 10, pages_not_accounted_for: { submissions: 0 } });
  expect(after.open.flatMap(({ kind, submissions }) => (submissions === 0 ? [] : [kind]))).toEqual([
    'running',
    'cancelled',
    'failed',
    'partially_graded',
  ]);
});

describe('statistics', () => {
  test('agreement compares the marks of the AI with given and confirmed ones, by question and overall', async () => {
    const guide = await makeGuideExam(client, { candidates: 20 });
    expect(await readAgreement(services, guide.actor, guide.exam)).toMatchObject({
      overall: { n: 0, exact: null, qwk: null, mean_difference: null },
      questions: [],
    });
    await markAsDeserved(client, guide, 10);
    await approveSeen(services, guide.actor, idAt(guide, 10));
    const { overall, questions } = await readAgreement(services, guide.actor, guide.exam);
    const [first] = questions;
    expect(questions.map(({ label, n, overridden }) => [label, n, overridden])).toEqual([
      ['1', 11, 10],
      ['2', 11, 10],
    ]);
    const given = guide.submissions
      .slice(0, 10)
      .map(({ deserved }) => ({ ai: Math.floor(deserved[0] / 2), examiner: deserved[0] }));
    const agreed = (most: number) =>
      (1 + given.filter(({ ai, examiner }) => Math.abs(ai - examiner) <= most).length) / 11;
    expect(first?.exact).toBeCloseTo(agreed(0), 9);
    expect(first?.within_step).toBeCloseTo(agreed(0.5), 9);
    expect(first?.mean_difference).toBeCloseTo(
      given.reduce((sum, { ai, examiner }) => sum + ai - examiner, 0) / 11,
      9,
    );
    expect(first?.cells.reduce((sum, { answers }) => sum + answers, 0)).toBe(11);
    expect(overall.n).toBe(22);
    expect(overall.qwk).toBeGreaterThan(0);
  });

  test('the curve of a guide has the examples of its version', async () => {
    const guide = await makeGuideExam(client, { candidates: 40 });
    const [question_id] = guide.questions;
    const read = () => readLearning(services, guide.actor, { exam_id: guide.exam, question_id });
    expect(await read()).toEqual({ question_id, version: null, examples: 0, curve: [] });
    await setGuide(services, guide.actor, guide.exam, { mode: 'suggest' });
    await markAsDeserved(client, guide, 30);
    const learned = await read();
    expect(learned).toMatchObject({ version: 1, examples: 30 });
    expect(learned.curve.map(({ examples }) => examples)).toEqual([0, 3, 5, 10, 20, 30]);
    expect(learned.curve.at(-1)?.agreement).toBeGreaterThan(learned.curve[0]?.agreement ?? 1);
    expect(await read()).toEqual(learned);
  });

  test('the table of marks has each live submission once, with the totals of its result', async () => {
    const guide = await makeGuideExam(client, { candidates: 7 });
    await markAsDeserved(client, guide, 3);
    await set(guide, 6, `status = 'failed'`);
    const found = [];
    for (let cursor: string | undefined; ;) {
      const page = await readMarksOfExam(
        services,
        guide.actor,
        guide.exam,
        MarksQuery.parse({ cursor, limit: 3 }),
      );
      expect(page.questions.map(({ label, max }) => [label, max])).toEqual([
        ['1', 4],
        ['2', 4],
        ['3', 4],
      ]);
      found.push(...page.data);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(found.map(({ candidate }) => candidate.id)).toEqual(
      guide.submissions.map(({ candidate }) => candidate).toSorted(),
    );
    for (const { submission_id, awarded, max, marks } of found) {
      if (submission_id === idAt(guide, 6)) {
        expect({ awarded, max, marks }).toEqual({ awarded: null, max: null, marks: [null, null, null] });
        continue;
      }
      const result = await services.database.inTenant(guide.institute, (tx) =>
        readResultOf(tx, guide.institute, submission_id),
      );
      expect({ awarded, max }).toEqual({ awarded: result.totals.awarded, max: result.totals.max });
      expect(marks).toEqual(result.questions.map((question) => question.awarded));
    }
  });

  test('details of marks are the criteria of the AI or the teacher, and none beside a sum of the teacher', async () => {
    const guide = await makeGuideExam(client, { candidates: 3 });
    const [question] = guide.questions;
    const criteria = [
      { name: 'Cause', awarded: 1, max: 2, reason: 'It is named.' },
      { name: 'Unit', awarded: 0, max: 2, reason: null },
    ];
    await client.query(
      `update question_results set criteria = $2, feedback = 'By the AI.' where question_id = $1`,
      [question, JSON.stringify(criteria)],
    );
    const give = (index: number, details: { criteria?: number[]; feedback?: string }) =>
      overrideMark(
        services,
        guide.actor,
        idAt(guide, index),
        question,
        { reviewer: 'T', awarded: 3, reason: 'Seen.' },
        { details },
      );
    await give(0, { criteria: [2, 1], feedback: 'By the teacher.' });
    await give(1, {});
    const { data } = await readMarksOfExam(
      services,
      guide.actor,
      guide.exam,
      MarksQuery.parse({ details: true }),
    );
    const detailsAt = (index: number) =>
      data.find(({ submission_id }) => submission_id === idAt(guide, index))?.details[0];
    const awarded = (...marks: number[]) =>
      criteria.map(({ name, max }, at) => ({ name, awarded: marks[at], max }));
    expect(detailsAt(0)).toEqual({ criteria: awarded(2, 1), feedback: 'By the teacher.' });
    expect(detailsAt(1)).toEqual({ criteria: null, feedback: 'By the AI.' });
    expect(detailsAt(2)).toEqual({ criteria: awarded(1, 0), feedback: 'By the AI.' });
  });
});

test('the pages of a copy are read from the readings and the alignment of its current run', async () => {
  const guide = await makeGuideExam(client, { candidates: 1 });
  const [submission] = guide.submissions;
  const pages = () => readPagesOfSubmission(services, guide.actor, idAt(guide, 0));
  expect(await pages()).toEqual({ submission_id: idAt(guide, 0), pages: [] });
  await set(guide, 0, 'pages = 3');
  const block = {
    label: null,
    continues: false,
    text: 'x',
    crossedOut: false,
    box: { x: 0, y: 0, width: 1, height: 1 },
  };
  const reading = (page: number, blocks: unknown[]) => ({
    page,
    legibility: 1,
    language: 'en',
    turn: 0,
    blocks,
    printed: [],
    unread: [],
    problems: [],
  });
  await client.query(
    `insert into page_readings (institute_id, run_id, first_page, pages) values ($1, $2, 1, $3), ($1, $2, 2, $4)`,
    [
      guide.institute,
      submission?.run,
      JSON.stringify([reading(1, [block, block])]),
      JSON.stringify([reading(2, [])]),
    ],
  );
  await client.query(`update runs set alignment = $2 where id = $1`, [
    submission?.run,
    JSON.stringify([{ number: 2, blocks: [{ page: 1, block: 0 }], problems: [] }]),
  ]);
  expect((await pages()).pages).toEqual([
    {
      page: 1,
      holds: 'answers',
      questions: [{ question_id: guide.questions[1], label: '2' }],
      unassigned: 1,
      legibility: 1,
    },
    { page: 2, holds: 'blank', questions: [], unassigned: 0, legibility: 1 },
    { page: 3, holds: 'not_read', questions: [], unassigned: 0, legibility: null },
  ]);
});

test('an exam or submission of another institute answers as a missing one', async () => {
  const guide = await makeGuideExam(client, { candidates: 1 });
  const foreign = { ...guide.actor, institute_id: randomUUID() };
  const outcomeOf = async (exam: string, submission: string) => {
    const code = (call: Promise<unknown>) =>
      call.then(
        () => 'answered',
        (error: unknown) => (error instanceof DomainFailure ? error.failure.code : 'broken'),
      );
    return Promise.all([
      code(listReviewQueue(services, foreign, QueueQuery.parse({ exam_id: exam }))),
      code(readFinalizeChecklist(services, foreign, exam)),
      code(readAgreement(services, foreign, exam)),
      code(readMarksDistribution(services, foreign, exam)),
      code(readLearning(services, foreign, { exam_id: exam, question_id: guide.questions[0] })),
      code(readMarksOfExam(services, foreign, exam, MarksQuery.parse({}))),
      code(readPagesOfSubmission(services, foreign, submission)),
    ]);
  };
  const missing = await outcomeOf(randomUUID(), randomUUID());
  expect(missing).toEqual([...Array.from({ length: 6 }, () => 'exam_not_found'), 'not_found']);
  expect(await outcomeOf(guide.exam, idAt(guide, 0))).toEqual(missing);
  expect((await listReviewQueue(services, foreign, QueueQuery.parse({}))).data).toEqual([]);
  expect((await countReviewQueue(services, foreign)).counted).toBe(0);
});
