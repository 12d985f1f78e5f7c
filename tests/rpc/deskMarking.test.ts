import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { replayOf } from '@evaluation/core-client';
import { behind } from '../harness/behind.ts';
import { newTestExam } from '../harness/testExam.ts';
import { codeOf } from '../harness/staff.ts';
import { markingCalls } from './markingCalls.ts';

const { service, staff, examiner, admin, seenOf, screenOf, questionOf, give } = await markingCalls();
type Examiner = ReturnType<typeof examiner>;

describe('screen', () => {
  test('has question, key, mark, reasons and the typed answer of each question in the order of the paper', async () => {
    const made = await newTestExam(service);
    const submission = await made.reach('graded');
    const shown = await screenOf(examiner(made), submission);
    expect(shown).toMatchObject({
      submission_id: submission.id,
      exam: { id: made.exam.id, mode: 'typed', blind: false, guide_mode: 'off' },
      status: 'graded',
      approved: false,
      finalized: false,
      mark_step: 0.5,
      copy: null,
    });
    expect(shown.questions.map(({ question }) => question.label)).toEqual(['1', '2', '3']);
    expect(shown.questions[0]).toMatchObject({
      lowest: -0.75,
      highest: 1,
      given: { option_labels: ['B'] },
      question: { correct_options: ['B'] },
    });
    expect(shown.questions[1]).toMatchObject({
      lowest: 0,
      highest: 2,
      given: { text: 'Because of this.' },
      result: { awarded: 1.5, confidence: 0.9 },
      flag: null,
    });
    expect(shown.totals).toEqual((await submission.result()).totals);
  });

  test('names no candidate on a blind exam', async () => {
    const made = await newTestExam(service);
    const submission = await made.reach('graded');
    const who = examiner(made);
    expect((await screenOf(who, submission)).candidate).toMatchObject({ external_id: 'candidate-1' });
    await behind(service.database, 'update exams set blind = true where id = $1', [made.exam.id]);
    expect((await screenOf(who, submission)).candidate).toBeNull();
    const { data } = await who.desk.marking.order.query({ exam_id: made.exam.id });
    expect(data).toMatchObject([{ submission_id: submission.id, candidate: null }]);
  });
});

describe('a mark with the mark that was seen', () => {
  test('is set, and the audit names the examiner', async () => {
    const made = await newTestExam(service);
    const submission = await made.reach('graded');
    const staffId = randomUUID();
    const who = examiner(made, staffId);
    const at = { submission, questionId: made.questionId('2') };
    const { result } = await questionOf(who, submission, '2');
    const marked = await give(who, at, 0.5, seenOf(result));
    expect(marked).toMatchObject({ awarded: 0.5, source: 'ai_reviewed', review: { edited: true } });
    const [entry] = await behind<{ key_id: string; staff_role: string }>(
      service.database,
      'select key_id, staff_role from audit_entries where submission_id = $1 and staff_role is not null',
      [submission.id],
    );
    expect(entry).toEqual({ key_id: staffId, staff_role: 'examiner' });
  });

  test('is refused after another examiner has given, confirmed or withdrawn a mark, and `changes` says who did what', async () => {
    const made = await newTestExam(service);
    const submission = await made.reach('graded');
    const at = { submission, questionId: made.questionId('2') };
    const [own, other] = [randomUUID(), randomUUID()];
    const [who, colleague] = [examiner(made, own), examiner(made, other)];
    const first = seenOf((await questionOf(who, submission, '2')).result);
    // The colleague confirms the mark: the value is the same, the decision is not.
    const confirmed = seenOf(await give(colleague, at, 1.5, first));
    expect(await codeOf(give(who, at, 2, first))).toBe('conflict');
    expect(await submission.question('2')).toMatchObject({ awarded: 1.5, source: 'ai_reviewed' });
    const lost = await who.desk.marking.changes.query({
      submission_id: submission.id,
      question_id: at.questionId,
    });
    expect(lost).toMatchObject({
      mark: confirmed,
      changes: [{ action: 'override', by: { id: other, is_me: false }, before: 1.5, after: 1.5 }],
    });
    const mine = seenOf(await give(who, at, 2, lost.mark));
    expect(await codeOf(give(colleague, at, 1, confirmed))).toBe('conflict');
    const withdraw = (by: Examiner, seen: typeof mine) =>
      by.desk.marking.withdraw.mutate({ submission_id: submission.id, question_id: at.questionId, seen });
    expect(await codeOf(withdraw(colleague, confirmed))).toBe('conflict');
    expect(await withdraw(who, mine)).toMatchObject({
      awarded: 1.5,
      source: 'ai',
      review: { edited: false },
    });
    expect(await codeOf(give(colleague, at, 1, mine))).toBe('conflict');
  });

  test('is not refused because another question of the copy was marked', async () => {
    const made = await newTestExam(service);
    const submission = await made.reach('graded');
    const [who, colleague] = [examiner(made), examiner(made)];
    const [second, third] = [await questionOf(who, submission, '2'), await questionOf(who, submission, '3')];
    await give(colleague, { submission, questionId: made.questionId('3') }, 1, seenOf(third.result));
    const marked = await give(
      who,
      { submission, questionId: made.questionId('2') },
      1,
      seenOf(second.result),
    );
    expect(marked.awarded).toBe(1);
  });

  test('counts once when it is sent again with its idempotency key, also after later marks', async () => {
    const made = await newTestExam(service);
    const submission = await made.reach('graded');
    const at = { submission, questionId: made.questionId('2') };
    const staffId = randomUUID();
    const keyed = examiner(made, staffId, `mark ${randomUUID()}`);
    const seen = seenOf((await questionOf(keyed, submission, '2')).result);
    const marked = await give(keyed, at, 1, seen);
    await give(examiner(made), at, 2, seenOf(marked));
    const again = await give(keyed, at, 1, seen).catch((error: unknown) => replayOf(error));
    expect(again).toEqual({ body: marked });
    const [stored] = await behind<{ outcome: string }>(
      service.database,
      'select outcome from idempotency_records where institute_id = $1 order by created_at desc limit 1',
      [made.tenant.instituteId],
    );
    expect(stored?.outcome).not.toContain('Because of this.');
    expect(await submission.question('2')).toMatchObject({ awarded: 2 });
  });

  test('of two examiners at once, one is set and one is refused', async () => {
    const made = await newTestExam(service);
    const submission = await made.reach('graded');
    const at = { submission, questionId: made.questionId('2') };
    const seen = seenOf((await questionOf(examiner(made), submission, '2')).result);
    const outcomes = await Promise.all(
      [0, 0.5, 1, 2].map((awarded) => codeOf(give(examiner(made), at, awarded, seen))),
    );
    const refused = outcomes.filter((outcome) => outcome === 'conflict');
    expect([outcomes.length, refused.length]).toEqual([4, 3]);
    expect(outcomes).toContain('answered');
  });
});

test('the reviewer of a person at the desk is the account, and what the person has seen is required', async () => {
  const made = await newTestExam(service);
  const submission = await made.reach('graded');
  const id = randomUUID();
  const who = examiner(made, id);
  const at = { submission_id: submission.id, question_id: made.questionId('3') };
  const body = { reviewer: 'Controller of Examinations', awarded: 1 };
  expect(await codeOf(who.submissions.override.mutate({ ...at, body }))).toBe('validation_failed');
  const approve = { submission_id: submission.id, body: {} };
  expect(await codeOf(who.submissions.approve.mutate(approve))).toBe('validation_failed');
  const { result } = await questionOf(who, submission, '3');
  await give(who, { submission, questionId: at.question_id }, 1, seenOf(result));
  expect((await questionOf(who, submission, '3')).result.review.reviewer.ref).toBe(id);
  await who.submissions.approve.mutate({
    ...approve,
    seen_marks_revision: (await screenOf(who, submission)).marks_revision,
  });
});

test('a person restores a negative mark that is in no step, and the API keeps to the steps', async () => {
  const made = await newTestExam(service);
  const submission = await made.reach('graded');
  const who = examiner(made);
  const at = { submission, questionId: made.questionId('1') };
  const shown = await questionOf(who, submission, '1');
  expect(shown.lowest).toBe(-0.75);
  const raised = await give(who, at, 0, seenOf(shown.result));
  const restored = await give(who, at, -0.75, seenOf(raised));
  expect(restored.awarded).toBe(-0.75);
  expect(await codeOf(give(who, at, -0.25, seenOf(restored)))).toBe('validation_failed');
  expect(await submission.override('1', { reviewer: 'API', awarded: -0.75 })).toMatchObject({ status: 422 });
});

test('a teacher marks criteria, which add up to the mark, and replaces the feedback', async () => {
  const made = await newTestExam(service);
  const submission = await made.reach('graded');
  const who = examiner(made);
  await behind(
    service.database,
    `update question_results set criteria =
       '[{"name":"Law","awarded":1,"max":1,"reason":"Stated."},{"name":"Units","awarded":0.5,"max":1,"reason":"Half."}]'
     where question_id = $1`,
    [made.questionId('2')],
  );
  const { result, teacher } = await questionOf(who, submission, '2');
  expect(teacher).toBeNull();
  const mark = (awarded: number, details: object, seen: object) =>
    who.submissions.override.mutate({
      submission_id: submission.id,
      question_id: made.questionId('2'),
      body: { reviewer: 'R', awarded },
      seen: { ...seenOf(result), ...seen },
      details,
    });
  for (const [awarded, criteria] of [
    [1, [1]],
    [1.5, [1, 1]],
    [2, [2, 0]],
    [0.5, [1, -0.5]],
  ] as const) {
    expect(await codeOf(mark(awarded, { criteria: [...criteria] }, {}))).toBe('validation_failed');
  }
  const marked = await mark(2, { criteria: [1, 1], feedback: 'Well done.' }, {});
  expect(marked).toMatchObject({
    awarded: 2,
    feedback: 'Well done.',
    criteria: [
      { name: 'Law', awarded: 1, reason: 'Stated.' },
      { name: 'Units', awarded: 1, max: 1 },
    ],
  });
  expect((await submission.result()).questions[1]).toMatchObject({ awarded: 2, feedback: 'Well done.' });
  expect(await questionOf(who, submission, '2')).toMatchObject({
    teacher: { criteria: [1, 1], feedback: 'Well done.' },
  });
  // A sum alone leaves the criteria to the AI, and says so.
  await mark(1, {}, seenOf(marked));
  expect(await questionOf(who, submission, '2')).toMatchObject({
    teacher: { criteria: null, feedback: null },
    result: { awarded: 1, criteria: [{ awarded: 1 }, { awarded: 0.5 }] },
  });
});

test('an approval is refused if the marks have changed since they were seen', async () => {
  const made = await newTestExam(service);
  const submission = await made.reach('graded');
  const who = examiner(made);
  const { marks_revision } = await screenOf(who, submission);
  await submission.override('3', { reviewer: 'API', awarded: 1 });
  const approve = (seen: number) =>
    who.submissions.approve.mutate({ submission_id: submission.id, body: {}, seen_marks_revision: seen });
  expect(await codeOf(approve(marks_revision))).toBe('conflict');
  expect((await screenOf(who, submission)).approved).toBe(false);
  await approve((await screenOf(who, submission)).marks_revision);
  expect((await screenOf(who, submission)).approved).toBe(true);
});

test('withdrawing restores the mark from before the override, and audits the withdrawn one', async () => {
  const made = await newTestExam(service);
  const submission = await made.reach('partially_graded');
  const before = await submission.result();
  const id = randomUUID();
  const who = examiner(made, id);
  const at = { submission_id: submission.id, question_id: made.questionId('3') };
  const { result } = await questionOf(who, submission, '3');
  expect(result).toMatchObject({ status: 'failed', awarded: null });
  const marked = await give(who, { submission, questionId: at.question_id }, 2, seenOf(result));
  expect(await submission.read()).toMatchObject({ status: 'graded' });
  await who.desk.marking.withdraw.mutate({ ...at, seen: seenOf(marked) });
  expect(await submission.result()).toEqual(before);
  const entries = await behind<{ action: string; before: object }>(
    service.database,
    `select action, before from audit_entries where submission_id = $1
     and action::text !~ '^(submission_|re_evaluate)' order by id`,
    [submission.id],
  );
  expect(entries).toMatchObject([
    { action: 'override' },
    { action: 'override_dropped', before: { awarded: 2, reviewer: id } },
  ]);
});

test('examiners who have the same copy open see each other for half a minute', async () => {
  const made = await newTestExam(service);
  const [submission, elsewhere] = [await made.reach('graded'), await made.reach('graded')];
  const [own, other] = [randomUUID(), randomUUID()];
  const open = (staffId: string, copy: { id: string }) =>
    examiner(made, staffId).desk.marking.keepOpen.mutate({ submission_id: copy.id });
  expect(await open(own, submission)).toMatchObject({ others: [] });
  expect(await open(other, submission)).toMatchObject({ others: [{ staff_id: own }] });
  expect(await open(own, submission)).toMatchObject({ others: [{ staff_id: other }] });
  expect(await open(own, elsewhere)).toMatchObject({ others: [] });
  await behind(
    service.database,
    `update open_copies set seen_at = now() - interval '31 seconds' where staff_id = $1`,
    [other],
  );
  expect(await open(own, submission)).toMatchObject({ others: [] });
  await open(other, elsewhere);
  const rows = await behind(service.database, 'select submission_id from open_copies where staff_id = $1', [
    other,
  ]);
  expect(rows).toEqual([{ submission_id: elsewhere.id }]);
});

test('a flag with a note is shown to colleagues until it is removed', async () => {
  const made = await newTestExam(service);
  const submission = await made.reach('graded');
  const [who, colleague, staffId] = [examiner(made), examiner(made), randomUUID()];
  const at = { submission_id: submission.id, question_id: made.questionId('2') };
  await who.desk.marking.flag.mutate({ ...at, flagged: true });
  await examiner(made, staffId).desk.marking.flag.mutate({ ...at, flagged: true, note: 'Is this allowed?' });
  expect((await questionOf(colleague, submission, '2')).flag).toMatchObject({
    note: 'Is this allowed?',
    by: { id: staffId },
  });
  // It leads to the review page and to the checklist, also of a copy that needs no review.
  await submission.approve();
  const queued = async () =>
    (await colleague.desk.review.queue.query({ exam_id: made.exam.id, flagged: true })).data;
  expect(await queued()).toMatchObject([
    {
      submission_id: submission.id,
      questions: [{ label: '2', reasons: expect.arrayContaining(['flagged']) }],
    },
  ]);
  expect((await colleague.desk.review.queue.query({ exam_id: made.exam.id })).data).toEqual([]);
  expect((await colleague.desk.review.counts.query()).flagged).toBe(1);
  const checklist = async () => await colleague.desk.review.checklist.query({ exam_id: made.exam.id });
  expect((await checklist()).flagged).toMatchObject({
    submissions: 1,
    first: [{ submission_id: submission.id }],
  });
  await colleague.desk.marking.flag.mutate({ ...at, flagged: false });
  expect(await queued()).toEqual([]);
  expect((await questionOf(who, submission, '2')).flag).toBeNull();
});

test('the guide suggests a mark for one submission of a question', async () => {
  const made = await newTestExam(service);
  const [marked, open] = [await made.reach('graded'), await made.reach('graded')];
  await marked.override('2', { reviewer: 'T', awarded: 0 });
  const who = examiner(made);
  await admin(made).guide.set.mutate({ exam_id: made.exam.id, mode: 'suggest' });
  const { data } = await who.guide.suggestions.query({
    exam_id: made.exam.id,
    question_id: made.questionId('2'),
    submission_id: open.id,
  });
  expect(data).toMatchObject([
    { submission_id: open.id, suggestion: { nearest: [{ submission_id: marked.id, awarded: 0 }] } },
  ]);
});

test('ids of another institute are missing, and an actor without the scope has no access', async () => {
  const [made, other] = [await newTestExam(service), await newTestExam(service)];
  const submission = await made.reach('graded');
  const exam = { exam_id: made.exam.id };
  const at = { submission_id: submission.id, question_id: made.questionId('2') };
  const seen = { awarded: 1.5, edited_at: null, approved: false };
  const calls: Record<string, (who: Examiner) => Promise<unknown>> = {
    screen: (who) => who.desk.marking.screen.query(at),
    order: (who) => who.desk.marking.order.query(exam),
    'order of a question': (who) => who.desk.marking.order.query({ ...exam, question_id: at.question_id }),
    next: (who) => who.desk.marking.next.query({ ...exam, question_id: at.question_id }),
    changes: (who) => who.desk.marking.changes.query(at),
    withdraw: (who) => who.desk.marking.withdraw.mutate({ ...at, seen }),
    flag: (who) => who.desk.marking.flag.mutate({ ...at, flagged: true }),
    keepOpen: (who) => who.desk.marking.keepOpen.mutate(at),
    override: (who) => who.submissions.override.mutate({ ...at, seen, body: { reviewer: 'R', awarded: 1 } }),
  };
  const reader = staff.as(made.tenant.instituteId, ['evaluation:read'], 'examiner');
  for (const [name, call] of Object.entries(calls)) {
    const missing = name === 'order' || name === 'order of a question' || name === 'next';
    expect(await codeOf(call(examiner(other))), name).toBe(missing ? 'exam_not_found' : 'not_found');
    if (name !== 'override') expect(await codeOf(call(reader)), name).toBe('insufficient_scope');
  }
  const foreign = { ...at, question_id: other.questionId('2') };
  const own = examiner(made);
  expect(await codeOf(own.desk.marking.changes.query(foreign))).toBe('not_found');
  expect(await codeOf(own.desk.marking.flag.mutate({ ...foreign, flagged: true }))).toBe('not_found');
  expect(await codeOf(own.desk.marking.withdraw.mutate({ ...foreign, seen }))).toBe('not_found');
  expect(await codeOf(own.desk.marking.screen.query({ submission_id: 'nothing' }))).toBe('not_found');
});
