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
    expect(new Set(data[0]?.group)).toEqual(new Set([a.id, b.id]));
    expect(data[1]).toMatchObject({ submission_id: c.id });
  });
});
