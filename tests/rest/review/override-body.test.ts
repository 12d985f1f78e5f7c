import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { QuestionResult, Submission } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { answerOf, createExam } from '../../harness/api.ts';
import { longAnswer, typedExam } from '../../harness/papers.ts';
import { newTestExam } from '../../harness/testExam.ts';
import { expectError, expectRefused, problemsIn, startIdleService } from '../../harness/tenant.ts';

const TEACHER = { reviewer: 'T-07' };
const IN_STATUS = async (status: Submission['status']) => {
  const testExam = await newTestExam(service);
  return { ...testExam, submission: await testExam.reach(status) };
};

const service = closedAfterTests(await startIdleService({ LEASE_SECONDS: '300' }));
const graded = await IN_STATUS('graded');

describe('the body of an override', () => {
  test.each<[what: string, label: string, body: unknown, problems: string[]]>([
    ['no reviewer', '2', { awarded: 1 }, ['reviewer: required']],
    ['reviewer null', '2', { reviewer: null, awarded: 1 }, ['reviewer: invalid_type']],
    ['an empty reviewer', '2', { reviewer: '', awarded: 1 }, ['reviewer: required']],
    ['a reviewer that is too long', '2', { reviewer: 'x'.repeat(129), awarded: 1 }, ['reviewer: too_long']],
    ['a reviewer that is a number', '2', { reviewer: 7, awarded: 1 }, ['reviewer: invalid_type']],
    ['no mark', '2', TEACHER, ['awarded: required']],
    ['mark null', '2', { ...TEACHER, awarded: null }, ['awarded: invalid_type']],
    ['a mark that is text', '2', { ...TEACHER, awarded: '1' }, ['awarded: invalid_type']],
    ['a step of 0.25', '2', { ...TEACHER, awarded: 0.25 }, ['awarded: invalid_step']],
    ['a step of 0.1', '2', { ...TEACHER, awarded: 0.1 + 0.2 }, ['awarded: invalid_step']],
    ['more than the question has', '2', { ...TEACHER, awarded: 2.5 }, ['awarded: out_of_range']],
    ['a huge mark', '2', { ...TEACHER, awarded: 1e300 }, ['awarded: out_of_range']],
    ['below 0 of a long answer', '2', { ...TEACHER, awarded: -0.5 }, ['awarded: out_of_range']],
    ['below the negative marks', '1', { ...TEACHER, awarded: -1 }, ['awarded: out_of_range']],
    [
      'a reason that is too long',
      '2',
      { ...TEACHER, awarded: 1, reason: 'x'.repeat(2001) },
      ['reason: too_long'],
    ],
    ['NUL in the reason', '2', { ...TEACHER, awarded: 1, reason: '\u0000' }, ['reason: invalid_characters']],
    ['a field that it does not know', '2', { ...TEACHER, awarded: 1, mark: 1 }, ['mark: unknown_field']],
    [
      'all wrong at once',
      '2',
      { awarded: 0.3, status: 'graded' },
      ['awarded: invalid_step', 'reviewer: required', 'status: unknown_field'],
    ],
  ])('%s answers 422', async (_what, label, body, problems) => {
    const { tenant, submission } = graded;
    const error = await expectRefused(
      tenant,
      () => submission.override(label, body),
      422,
      'validation_failed',
    );
    expect(problemsIn(error).toSorted()).toEqual(problems);
    expect((await submission.question(label)).review.edited).toBe(false);
  });

  test('the bounds themselves are allowed, −0 counts as 0, and text is kept as sent', async () => {
    const { submission } = await IN_STATUS('graded');
    const reason = `  ${'ज'.repeat(1990)}\n🖋`;
    for (const [label, awarded] of [
      ['2', 2],
      ['2', 0],
      ['2', -0],
      ['1', -0.5],
      ['1', 1],
    ] as const) {
      const answer = await submission.override(label, { reviewer: 'ज'.repeat(128), awarded, reason });
      expect(answer.body).toMatchObject({
        awarded: awarded + 0,
        review: { reviewer: { ref: 'ज'.repeat(128) }, reason },
      });
    }
  });

  test.each(['[]', 'null', '"x"', '1', ''])(
    'a body that is no object, or empty (%s), answers 422',
    async (body) => {
      const { tenant, submission, questionId } = graded;
      const response = await tenant.api.send(`${submission.path}/questions/${questionId('2')}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expectError(await answerOf(response), 422, 'validation_failed');
      expect((await submission.question('2')).review.edited).toBe(false);
    },
  );

  test('a question that is unknown, of another exam or of another institute answers the same 404', async () => {
    const { tenant, submission } = graded;
    const other = await createExam(tenant.api, typedExam([longAnswer('2')]));
    const foreign = await newTestExam(service);
    const theirs = await foreign.reach('graded');
    const { question_id } = await submission.question('2');
    for (const [submissionId, question] of [
      [submission.id, randomUUID()],
      [submission.id, 'no-uuid'],
      [submission.id, other.questions[0]?.id],
      [submission.id, foreign.questionId('2')],
      [theirs.id, foreign.questionId('2')],
      [theirs.id, question_id],
      [randomUUID(), question_id],
    ]) {
      const error = await expectRefused(
        tenant,
        () =>
          tenant.api.patch(`/submissions/${submissionId}/questions/${question}`, { ...TEACHER, awarded: 1 }),
        404,
        'not_found',
      );
      expect({ ...error, request_id: '' }).toEqual({
        code: 'not_found',
        message: 'Not found.',
        request_id: '',
      });
    }
    expect((await theirs.question('2')).review.edited).toBe(false);
  });

  test('ids are accepted in any case', async () => {
    const { tenant, submission, questionId } = await IN_STATUS('graded');
    const path = `/submissions/${submission.id.toUpperCase()}/questions/${questionId('2').toUpperCase()}`;
    const answer = await tenant.api.patch<QuestionResult>(path, { ...TEACHER, awarded: 1 });
    expect(answer).toMatchObject({ status: 200, body: { awarded: 1 } });
  });
});
