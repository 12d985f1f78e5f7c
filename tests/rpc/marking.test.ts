import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { QuestionResult } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { behind } from '../harness/behind.ts';
import { newTestExam, type TestExam, type TestSubmission } from '../harness/testExam.ts';
import { restSuite } from '../harness/restSuite.ts';
import { codeOf, openStaff } from '../harness/staff.ts';

/* Which answers a teacher marks next, and one mark for identical answers (docs/guide.md). */

const { service } = await restSuite();
const staff = closedAfterTests(await openStaff(service));

const markingOf = (made: TestExam) => staff.as(made.tenant.instituteId).marking;
const second = (made: TestExam) => ({ exam_id: made.exam.id, question_id: made.questionId('2') });
const auditOf = (submission: TestSubmission) =>
  behind<{ action: string; reviewer: string; key_id: string; before: object; after: object }>(
    service.database,
    `select action, reviewer, key_id, before, after from audit_entries where submission_id = $1
     and action::text !~ '^(submission_|re_evaluate)' order by id`,
    [submission.id],
  );
const secondResults = async (submissions: readonly (TestSubmission | undefined)[]) => {
  const results: (QuestionResult | undefined)[] = [];
  for (const submission of submissions) results.push(await submission?.question('2'));
  return results;
};
const groupsOf = async (made: TestExam, sameness: 'text' | 'content' = 'text') =>
  (await markingOf(made).groups.query({ ...second(made), sameness })).data;
const mark = { reviewer: 'teacher', awarded: 1.5, reason: 'The same answer.' };

describe('next', () => {
  test('names one answer of each kind first, and leaves out answers with a teacher’s decision', async () => {
    const made = await newTestExam(service);
    const [alike, other, marked, approved, finalized] = await made.gradedWith([
      'Plants turn light into sugar.',
      'The mitochondria release energy from sugar.',
      'Insulin lowers the level of glucose.',
      'Water boils at one hundred degrees.',
      'A volcano erupts.',
    ]);
    const more = await made.gradedWith(['Plants turn light into sugar.', 'Plants turn light into sugar.']);
    await marked?.override('2', { reviewer: 'teacher', awarded: 1 });
    await approved?.approve();
    await made.finalize({ submission_ids: [finalized?.id] });
    await made.reach('grading');

    const all = await markingOf(made).next.query(second(made));
    const plants = new Set([alike, ...more].map((submission) => submission?.id));
    expect(new Set(all.data.map(({ submission_id }) => submission_id))).toEqual(
      new Set([...plants, other?.id]),
    );
    const two = await markingOf(made).next.query({ ...second(made), limit: 2 });
    const kinds = two.data.map(({ submission_id }) => (plants.has(submission_id) ? 'plants' : 'other'));
    expect(kinds.toSorted()).toEqual(['other', 'plants']);
    expect(two.data[0]).toMatchObject({ awarded: 1.5, max: 2, confidence: 0.9 });
  });

  test('a marked answer makes its copies less instructive than another kind of answer', async () => {
    const made = await newTestExam(service);
    const [first, , , other] = await made.gradedWith([
      'Plants turn light into sugar.',
      'Plants turn light into sugar.',
      'Plants turn light into sugar.',
      'The mitochondria release energy.',
    ]);
    await first?.override('2', { reviewer: 'teacher', awarded: 1 });
    const { data } = await markingOf(made).next.query({ ...second(made), limit: 1 });
    expect(data).toMatchObject([{ submission_id: other?.id, text: 'The mitochondria release energy.' }]);
  });
});

describe('groups', () => {
  test('join answers that differ in case, punctuation and spaces, or in the order of content words', async () => {
    const made = await newTestExam(service);
    const [a, b, c, , empty] = await made.gradedWith(['The heart.', 'the  HEART', 'A heart', 'Lungs', '?!']);
    const text = await groupsOf(made);
    expect(text).toHaveLength(1);
    expect(new Set(text[0]?.submission_ids)).toEqual(new Set([a?.id, b?.id]));
    expect(text[0]).toMatchObject({ awarded: [1.5], max: 2 });
    const content = await groupsOf(made, 'content');
    expect(new Set(content[0]?.submission_ids)).toEqual(new Set([a?.id, b?.id, c?.id]));
    expect(content.flatMap(({ submission_ids }) => submission_ids)).not.toContain(empty?.id);
  });

  test('one decision marks each answer of a group, with an audit entry for each candidate', async () => {
    const made = await newTestExam(service);
    const submissions = await made.gradedWith(['The heart', 'the heart', 'The Heart!']);
    const [group] = await groupsOf(made);
    const request = {
      ...second(made),
      submission_ids: group?.submission_ids ?? [],
      body: mark,
    };
    const two = await Promise.all([
      markingOf(made).markGroup.mutate(request),
      markingOf(made).markGroup.mutate(request),
    ]);
    expect(two.flatMap(({ marked }) => marked).toSorted()).toEqual(
      submissions.map(({ id }) => id).toSorted(),
    );
    expect(two.map(({ skipped }) => skipped.teacher_marked).reduce((a, b) => a + b)).toBe(3);
    for (const submission of submissions) {
      const entries = await auditOf(submission);
      // The account of the person, whatever the call names.
      const ref = entries[0]?.key_id ?? null;
      expect(entries).toMatchObject([{ action: 'override', reviewer: ref }]);
      expect(await submission.question('2')).toMatchObject({
        source: 'ai_reviewed',
        awarded: 1.5,
        review: { reviewer: { ref }, reason: 'The same answer.', edited: true },
      });
    }
    expect(await groupsOf(made)).toEqual([]);
  });

  test('marks of teachers, finalized results and other answers keep their marks and are counted', async () => {
    const made = await newTestExam(service);
    const foreign = await newTestExam(service);
    const [open, overridden, approved, finalized, changed] = await made.gradedWith([
      'The heart',
      'The heart',
      'The heart',
      'The heart',
      'The lungs',
    ]);
    await overridden?.override('2', { reviewer: 'other', awarded: 0.5 });
    await approved?.approve();
    await made.finalize({ submission_ids: [finalized?.id] });
    const grading = await made.reach('grading');
    const elsewhere = await foreign.reach('graded');
    const kept = [overridden, approved, finalized, changed];
    const before = await secondResults(kept);
    const ids = [open, ...kept, grading, elsewhere].map((submission) => submission?.id ?? '');
    expect(
      await markingOf(made).markGroup.mutate({
        ...second(made),
        submission_ids: [...ids, randomUUID()],
        body: mark,
      }),
    ).toEqual({
      marked: [open?.id],
      edited_at: [expect.any(String)],
      skipped: { teacher_marked: 2, finalized: 1, other_answer: 1, not_markable: 3 },
    });
    expect(await secondResults(kept)).toEqual(before);
    expect(await elsewhere.question('2')).toMatchObject({ source: 'ai' });
  });

  test('a mark out of range or of another step is refused for the whole group', async () => {
    const made = await newTestExam(service);
    const submissions = await made.gradedWith(['The heart', 'The heart']);
    const request = { ...second(made), submission_ids: submissions.map(({ id }) => id) };
    for (const awarded of [2.5, -0.5, 0.3]) {
      const call = markingOf(made).markGroup.mutate({ ...request, body: { ...mark, awarded } });
      expect(await codeOf(call)).toBe('validation_failed');
    }
    for (const submission of submissions) expect(await auditOf(submission)).toEqual([]);
  });
});

test('exams and questions of others are missing, and API keys have no access', async () => {
  const made = await newTestExam(service);
  const other = await newTestExam(service);
  const [submission] = await made.gradedWith(['The heart']);
  const group = { submission_ids: [submission?.id ?? ''], body: mark };
  const foreign = markingOf(other);
  expect(await codeOf(foreign.next.query(second(made)))).toBe('exam_not_found');
  expect(await codeOf(foreign.groups.query(second(made)))).toBe('exam_not_found');
  expect(await codeOf(foreign.markGroup.mutate({ ...second(made), ...group }))).toBe('exam_not_found');
  const mixed = { exam_id: made.exam.id, question_id: other.questionId('2') };
  expect(await codeOf(markingOf(made).next.query(mixed))).toBe('not_found');
  expect(await codeOf(markingOf(made).markGroup.mutate({ ...mixed, ...group }))).toBe('not_found');
  const reader = staff.as(made.tenant.instituteId, ['evaluation:read']).marking;
  expect(await codeOf(reader.next.query(second(made)))).toBe('insufficient_scope');
});
