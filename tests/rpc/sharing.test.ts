import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { behind } from '../harness/behind.ts';
import { codeOf } from '../harness/staff.ts';
import { newTestExam } from '../harness/testExam.ts';
import { markingCalls } from './markingCalls.ts';

/* Work on an exam that is shared out (docs/desk/marking.md#sharing-out-the-work). */

const { service, staff, examiner, give, questionOf, seenOf } = await markingCalls();

/** An exam with graded copies that need a review, and people of its institute. */
const sharedExam = async (copies: number) => {
  const made = await newTestExam(service);
  const submissions = await made.gradedWith(
    Array.from({ length: copies }, (_, index) => `Because of ${index}.`),
  );
  await behind(service.database, 'update submissions set needs_review = true where exam_id = $1', [
    made.exam.id,
  ]);
  await behind(
    service.database,
    `update question_results set needs_review = true, review_reasons = '{low_confidence}'
     where question_id = any($1) and institute_id = $2`,
    [[made.questionId('2'), made.questionId('3')], made.tenant.instituteId],
  );
  const join = async (name: string) => {
    const { staff: person } = await service.control.as({}).control.staff.invite.mutate({
      institute_id: made.tenant.instituteId,
      email: `${randomUUID()}@example.org`,
      name,
      role: 'examiner',
    });
    return { id: person.id, calls: examiner(made, person.id) };
  };
  const head = staff.as(made.tenant.instituteId, [
    'evaluation:read',
    'evaluation:write',
    'evaluation:review',
  ]);
  const exam_id = made.exam.id;
  const [asha, ben] = [await join('Asha'), await join('Ben')];
  const byQuestion = (label: string, ...people: { id: string }[]) => ({
    by: 'question' as const,
    questions: [{ question_id: made.questionId(label), staff_ids: people.map(({ id }) => id) }],
  });
  const shared = async (sharing: Parameters<typeof head.desk.marking.share.mutate>[0]['sharing']) => {
    const { shared_at: seen } = await head.desk.marking.shares.query({ exam_id });
    return head.desk.marking.share.mutate({ exam_id, seen, sharing });
  };
  return { made, exam_id, submissions, head, asha, ben, byQuestion, shared };
};
type Person = Awaited<ReturnType<typeof sharedExam>>['asha'];

const seenIn = async ({ calls }: Person, submission = { id: '' }) =>
  seenOf((await questionOf(calls, submission, '2')).result);

/** Copies that *Next* gives a person for a question; without a question, by copy. */
const ownOrder = async ({ calls }: Person, exam_id: string, question_id?: string) => {
  const ofQuestion = question_id === undefined ? {} : { question_id };
  const { data } = await calls.desk.marking.order.query({
    exam_id,
    ...ofQuestion,
    open_only: true,
    own_only: true,
  });
  return data.map(({ submission_id }) => submission_id);
};

test('a question that is shared with one person comes next for this person only, and others by the switch', async () => {
  const { made, exam_id, submissions, head, asha, ben, byQuestion, shared } = await sharedExam(3);
  const [two, three] = [made.questionId('2'), made.questionId('3')];
  const nextOf = async ({ calls }: Person, question_id: string, own_only = true) =>
    (await calls.desk.marking.next.query({ exam_id, question_id, own_only })).data.length;
  expect(await nextOf(ben, two)).toBe(3);
  await shared(byQuestion('2', asha));
  expect([await nextOf(asha, two), await nextOf(ben, two), await nextOf(ben, two, false)]).toEqual([3, 0, 3]);
  expect(await ownOrder(ben, exam_id, two)).toEqual([]);
  // What is shared with no person is the work of all.
  expect([await nextOf(asha, three), await nextOf(ben, three)]).toEqual([3, 3]);
  expect(await ownOrder(ben, exam_id)).toHaveLength(3);
  const progress = async ({ calls }: Person) => calls.desk.marking.progress.query({ exam_id });
  expect((await progress(ben)).is_shared).toBe(true);
  expect((await progress(ben)).data.map(({ own }) => own)).toEqual([3, 0, 3]);
  expect((await progress(asha)).data.map(({ own, own_decided }) => [own, own_decided])).toEqual([
    [3, 3],
    [3, 0],
    [3, 0],
  ]);
  await shared(byQuestion('2', asha, ben));
  expect(await nextOf(ben, two)).toBe(3);
  const [first] = submissions;
  await give(ben.calls, { submission: first ?? { id: '' }, questionId: two }, 1, await seenIn(ben, first));
  const { people } = await head.desk.marking.shares.query({ exam_id });
  expect(people.map(({ name, answers, decided }) => [name, answers, decided])).toEqual([
    ['Asha', 3, 1],
    ['Ben', 3, 1],
  ]);
});

test('copies are split so many each, stay with their person, and later ones are the work of all', async () => {
  const { made, exam_id, submissions, head, asha, ben, shared } = await sharedExam(4);
  const people = (first: number, second: number) => ({
    by: 'copies' as const,
    people: [
      { staff_id: asha.id, copies: first },
      { staff_id: ben.id, copies: second },
    ],
  });
  const split = await shared(people(3, 1));
  expect(split).toMatchObject({ by: 'copies', candidates: 4 });
  expect(split.people.map(({ name, copies }) => [name, copies])).toEqual([
    ['Asha', 3],
    ['Ben', 1],
  ]);
  const [first, second] = [await ownOrder(asha, exam_id), await ownOrder(ben, exam_id)];
  expect([...first, ...second].toSorted()).toEqual(submissions.map(({ id }) => id).toSorted());
  expect([first.length, second.length]).toEqual([3, 1]);
  const [late] = await made.gradedWith(['Because it is late.']);
  expect(await ownOrder(ben, exam_id)).toHaveLength(2);
  expect(await ownOrder(asha, exam_id)).toContain(late?.id);
  await shared(people(3, 2));
  expect(await ownOrder(ben, exam_id)).toEqual(expect.arrayContaining([late?.id, ...second]));
  expect((await ownOrder(asha, exam_id)).toSorted()).toEqual(first.toSorted());
  await shared({ by: 'none' });
  expect(await ownOrder(ben, exam_id)).toHaveLength(5);
  expect(await head.desk.marking.shares.query({ exam_id })).toMatchObject({ by: 'none', shared_at: null });
});

test("the review lists and counts what is a person's own, with the questions that are", async () => {
  const { made, exam_id, asha, ben, byQuestion, shared } = await sharedExam(2);
  const review = async ({ calls }: Person, own_only: boolean, flagged = false) =>
    (await calls.desk.review.queue.query({ exam_id, own_only, flagged })).data.map(({ questions }) =>
      questions.map(({ label }) => label),
    );
  expect((await asha.calls.desk.review.counts.query()).own).toBeNull();
  await shared(byQuestion('2', asha));
  expect(await review(ben, false)).toEqual([
    ['2', '3'],
    ['2', '3'],
  ]);
  expect(await review(ben, true)).toEqual([['3'], ['3']]);
  expect(await review(asha, true)).toEqual([
    ['2', '3'],
    ['2', '3'],
  ]);
  expect((await asha.calls.desk.review.counts.query()).own).toBe(2);
  expect((await ben.calls.desk.review.counts.query()).own).toBeNull();
  const flag = { submission_id: '', question_id: made.questionId('2'), flagged: true };
  const [copy] = await ownOrder(asha, exam_id);
  await asha.calls.desk.marking.flag.mutate({ ...flag, submission_id: copy ?? '' });
  expect(await review(ben, true, true)).toEqual([]);
  expect(await review(asha, true, true)).toHaveLength(1);
});

test('of two heads at once, the second one is refused and sees what the first one has shared', async () => {
  const { exam_id, head, asha, ben, byQuestion } = await sharedExam(1);
  const share = (seen: string | null, person: Person) =>
    head.desk.marking.share.mutate({ exam_id, seen, sharing: byQuestion('2', person) });
  const both = [share(null, asha), share(null, ben)];
  const codes = await Promise.all(both.map((one) => codeOf(one)));
  expect(new Set(codes)).toEqual(new Set(['answered', 'conflict']));
  const stored = await head.desk.marking.shares.query({ exam_id });
  expect(await codeOf(share(null, ben))).toBe('conflict');
  expect(await codeOf(share(stored.shared_at, ben))).toBe('answered');
});

test('work goes to people of the exam only, and is the work of all again when a person leaves', async () => {
  const { made, exam_id, head, asha, ben, byQuestion, shared } = await sharedExam(1);
  const other = await sharedExam(1);
  expect(await codeOf(shared(byQuestion('2', other.asha)))).toBe('not_found');
  const foreign = {
    by: 'question' as const,
    questions: [{ question_id: randomUUID(), staff_ids: [asha.id] }],
  };
  expect(await codeOf(shared(foreign))).toBe('not_found');
  await shared(byQuestion('2', asha));
  expect((await head.desk.audit.list.query({ exam_id })).data[0]).toMatchObject({
    action: 'exam_edit',
    before: { shares: {} },
    after: { shares: { Asha: ['2'] } },
  });
  expect(await ownOrder(ben, exam_id, made.questionId('2'))).toHaveLength(0);
  await head.desk.people.disable.mutate({ staff_id: asha.id });
  expect(await ownOrder(ben, exam_id, made.questionId('2'))).toHaveLength(1);
  expect((await head.desk.marking.shares.query({ exam_id })).by).toBe('none');
});

test('a share refuses no mark of another person', async () => {
  const { made, submissions, asha, ben, byQuestion, shared } = await sharedExam(1);
  await shared(byQuestion('2', asha));
  const [submission = { id: '' }] = submissions;
  const place = { submission, questionId: made.questionId('2') };
  expect(await codeOf(give(ben.calls, place, 1, await seenIn(ben, submission)))).toBe('answered');
});

test('who marked what counts the marks of teachers that count now, by person and question', async () => {
  const { made, exam_id, submissions, head, asha, ben } = await sharedExam(2);
  const [first = { id: '' }, second = { id: '' }] = submissions;
  const questionId = made.questionId('2');
  for (const submission of [first, second]) {
    await give(asha.calls, { submission, questionId }, 1, await seenIn(asha, submission));
  }
  await give(ben.calls, { submission: first, questionId }, 0.5, await seenIn(ben, first));
  await submissions[1]?.override('3', { reviewer: 'API', awarded: 1 });
  const { questions, people, is_complete } = await head.desk.statistics.people.query({ exam_id });
  expect(questions.map(({ label }) => label)).toEqual(['1', '2', '3']);
  expect(is_complete).toBe(true);
  const rows = people.map(({ name, total, marks }) => [name, total, marks]);
  expect(rows).toHaveLength(3);
  // The mark that Ben has replaced does not count any more; a system has no name.
  expect(rows).toEqual(
    expect.arrayContaining([
      ['Asha', 1, [0, 1, 0]],
      ['Ben', 1, [0, 1, 0]],
      [null, 1, [0, 0, 1]],
    ]),
  );
});
