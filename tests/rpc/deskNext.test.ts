import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { behind } from '../harness/behind.ts';
import { newTestExam, type TestExam } from '../harness/testExam.ts';
import { markingCalls } from './markingCalls.ts';

const { service, examiner } = await markingCalls();
type Examiner = ReturnType<typeof examiner>;

describe('order', () => {
  test('differs between examiners, stays the same, and can be followed in both directions', async () => {
    const made = await newTestExam(service);
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) ids.push((await made.reach('graded')).id);
    await made.reach('grading');
    const staffId = randomUUID();
    const orderOf = async (who: Examiner, more: object = {}) =>
      (await who.desk.marking.order.query({ exam_id: made.exam.id, ...more })).data.map(
        ({ submission_id }) => submission_id,
      );
    const own = await orderOf(examiner(made, staffId));
    expect(own.toSorted()).toEqual(ids.toSorted());
    expect(await orderOf(examiner(made, staffId))).toEqual(own);
    const others = await Promise.all(Array.from({ length: 4 }, () => orderOf(examiner(made))));
    expect(new Set([own, ...others].map((order) => order.join())).size).toBeGreaterThan(1);
    const page = { limit: 2, after: own[1] };
    expect(await orderOf(examiner(made, staffId), page)).toEqual(own.slice(2, 4));
    expect(await orderOf(examiner(made, staffId), { ...page, after: own[3], backwards: true })).toEqual([
      own[2],
      own[1],
    ]);
  });

  test('counts the open questions of each copy, and on request leaves out copies without any', async () => {
    const made = await newTestExam(service);
    const [open, half, approved] = [
      await made.reach('graded'),
      await made.reach('graded'),
      await made.reach('graded'),
    ];
    await half.override('2', { reviewer: 'T', awarded: 1 });
    await approved.approve();
    const who = examiner(made);
    const openOf = async (query: object) =>
      Object.fromEntries(
        (await who.desk.marking.order.query({ exam_id: made.exam.id, ...query })).data.map((copy) => [
          copy.submission_id,
          copy.open,
        ]),
      );
    expect(await openOf({})).toEqual({ [open.id]: 2, [half.id]: 1, [approved.id]: 0 });
    expect(await openOf({ question_id: made.questionId('2') })).toEqual({
      [open.id]: 1,
      [half.id]: 0,
      [approved.id]: 0,
    });
    expect(await openOf({ question_id: made.questionId('2'), open_only: true })).toEqual({ [open.id]: 1 });
  });
});

test('progress counts answers, those that are decided, by oneself, to review and flagged, for each question', async () => {
  const made = await newTestExam(service);
  const [open, mine, approved] = [
    await made.reach('graded'),
    await made.reach('graded'),
    await made.reach('graded'),
  ];
  const staffId = randomUUID();
  const who = examiner(made, staffId);
  await mine.override('2', { reviewer: 'API', awarded: 1 });
  await approved.approve();
  await who.desk.marking.flag.mutate({
    submission_id: open.id,
    question_id: made.questionId('2'),
    flagged: true,
  });
  const progressOf = async () => (await who.desk.marking.progress.query({ exam_id: made.exam.id })).data;
  const before = await progressOf();
  expect(before.map(({ label }) => label)).toEqual(['1', '2', '3']);
  expect(before[0]).toMatchObject({ answers: 3, decided: 3, mine: 0, flagged: 0 });
  expect(before[1]).toMatchObject({ answers: 3, decided: 2, mine: 0, flagged: 1 });
  const screen = await who.desk.marking.screen.query({ submission_id: open.id });
  const shown = screen.questions[1]?.result;
  await who.submissions.override.mutate({
    submission_id: open.id,
    question_id: made.questionId('2'),
    body: { reviewer: 'R', awarded: 0.5 },
    seen: { awarded: shown?.awarded ?? null, edited_at: null, approved: false },
  });
  expect((await progressOf())[1]).toMatchObject({ answers: 3, decided: 3, mine: 1 });
});

describe('next', () => {
  const next = (who: Examiner, made: TestExam) =>
    who.desk.marking.next.query({ exam_id: made.exam.id, question_id: made.questionId('2') });

  test('names the most instructive answers first, and after 30 decisions identical and then uncertain ones', async () => {
    const made = await newTestExam(service);
    const [a, b, c, decided] = [
      await made.reach('graded'),
      await made.reach('graded'),
      await made.reach('graded'),
      await made.reach('graded'),
    ];
    for (const [submission, text, confidence] of [
      [a, 'The heart', 0.5],
      [b, 'the heart!', 0.6],
      [c, 'The lungs', 0.3],
      [decided, 'The liver', 0.3],
    ] as const) {
      await behind(
        service.database,
        `update question_results set extracted_answer = $3, confidence = $4
         where question_id = $1 and run_id = (select current_run_id from submissions where id = $2)`,
        [made.questionId('2'), submission.id, text, confidence],
      );
    }
    const who = examiner(made);
    await decided.override('2', { reviewer: 'T', awarded: 1 });
    const instructive = await next(who, made);
    expect(new Set(instructive.data.map(({ reason }) => reason))).toEqual(new Set(['instructive']));
    // Groups are named from the first decision on, each with its wordings, that of the answer first.
    expect(instructive.data.find(({ submission_id }) => submission_id === b.id)?.group).toEqual([
      { text: expect.stringMatching(/^the heart/i), submission_ids: expect.arrayContaining([a.id, b.id]) },
    ]);
    expect(instructive.data.find(({ submission_id }) => submission_id === c.id)?.group).toEqual([]);
    const named = await who.desk.marking.next.query({
      exam_id: made.exam.id,
      question_id: made.questionId('2'),
      submission_id: a.id,
    });
    expect(named.group.flatMap(({ submission_ids }) => submission_ids)).toHaveLength(2);
    // Thirty decided copies of one submission are enough for the count.
    await behind(
      service.database,
      `with copied as (
         insert into candidates (id, institute_id, external_id)
         select gen_random_uuid(), institute_id, 'more-' || n from submissions, generate_series(1, 30) n where id = $1
         returning id),
       submitted as (
         insert into submissions (id, institute_id, exam_id, candidate_id, status, lane, review_reasons, current_run_id,
           questions_total, quote_unit, quote_credits, quote_rate_source, warnings, approved_at)
         select gen_random_uuid(), s.institute_id, s.exam_id, c.id, s.status, s.lane, '{}', s.current_run_id, 2, 'answer',
           2, 'standard', '[]', now()
         from submissions s, copied c where s.id = $1 returning id)
       select count(*) from submitted`,
      [decided.id],
    );
    const { data } = await next(who, made);
    expect(data.map(({ reason }) => reason)).toEqual(['identical', 'uncertain']);
    expect(new Set(data[0]?.group.flatMap(({ submission_ids }) => submission_ids))).toEqual(
      new Set([a.id, b.id]),
    );
    expect(data[1]).toMatchObject({ submission_id: c.id });
  });
});
