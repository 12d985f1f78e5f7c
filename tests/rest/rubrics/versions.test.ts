import { describe, expect, test } from 'vitest';
import type { Rubric, RubricsEdited } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit, untilOver, type ErrorBody } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { longAnswer, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError } from '../../harness/tenant.ts';
import { startService } from '../../harness/service.ts';
import { rubricCalls } from './rubricCalls.ts';

const { tenant } = await restSuite();
const { newExam, read, idOf, patch, edit, refused } = rubricCalls(tenant);

describe('If-Match', () => {
  test.each(['1', '"1"', '*'])('%s matches version 1', async (ifMatch) => {
    const exam = await newExam([longAnswer('1')]);
    expect((await edit(exam.id, { [idOf(exam, '1')]: { model_answer: 'New' } }, ifMatch)).version).toBe(2);
  });

  test.each(['0', '2', '"0"', 'W/"1"', '1.0', '01', '+1', '"1', 'one', '1, 2', "'1'"])(
    '%s differs from version 1: 412, before the body is checked',
    async (ifMatch) => {
      const exam = await newExam([longAnswer('1')]);
      const id = idOf(exam, '1');
      const good = () => patch(exam.id, { [id]: { model_answer: 'New' } }, ifMatch);
      await refused(exam.id, good, 412, 'rubric_version_mismatch');
      const bad = () => patch(exam.id, { [id]: { colour: 'red' } }, ifMatch);
      await refused(exam.id, bad, 412, 'rubric_version_mismatch');
    },
  );

  test('an older version answers 412 after any edit of a rubric, also by PATCH of a question', async () => {
    const exam = await newExam([longAnswer('1')]);
    const id = idOf(exam, '1');
    await edit(exam.id, { [id]: { model_answer: 'Second' } }, '1');
    await refused(
      exam.id,
      () => patch(exam.id, { [id]: { model_answer: 'x' } }, '1'),
      412,
      'rubric_version_mismatch',
    );
    await tenant.api.patch(`/exams/${exam.id}/questions/${id}`, { model_answer: 'Third' });
    await refused(
      exam.id,
      () => patch(exam.id, { [id]: { model_answer: 'x' } }, '2'),
      412,
      'rubric_version_mismatch',
    );
    expect((await edit(exam.id, { [id]: { model_answer: 'Fourth' } }, '3')).version).toBe(4);
  });

  test('of ten simultaneous edits with If-Match of one version exactly one succeeds, the others answer 412', async () => {
    const exam = await newExam([longAnswer('1')]);
    const id = idOf(exam, '1');
    const tried = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        patch<RubricsEdited & ErrorBody>(exam.id, { [id]: { model_answer: `Mine ${index}` } }, '1'),
      ),
    );
    const won = tried.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(won).toHaveLength(1);
    for (const answer of tried.filter(({ status }) => status !== 200)) {
      expectError(answer, 412, 'rubric_version_mismatch');
    }
    expect(await read(exam.id)).toMatchObject({
      version: 2,
      questions: [{ model_answer: `Mine ${won[0]}` }],
    });
  });

  test('ten simultaneous edits without If-Match all succeed, each with its own version', async () => {
    const exam = await newExam([longAnswer('1')]);
    const id = idOf(exam, '1');
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, index) => edit(exam.id, { [id]: { model_answer: `Mine ${index}` } })),
    );
    const versions = made.map(({ version }) => version).toSorted((a, b) => a - b);
    expect(versions).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    const last = made.findIndex(({ version }) => version === 11);
    expect((await read(exam.id)).questions[0]?.model_answer).toBe(`Mine ${last}`);
  });
});

describe('the version that a run used', () => {
  test('a run reports the version it was marked by, and that version’s content is kept', async () => {
    const grading = await startService({ COPY_CONCURRENCY: '0' });
    try {
      const rubric: Rubric = { criteria: [{ name: 'First', marks: 2, keywords: ['mitochondria'] }] };
      const exam = await createExam(grading.api, typedExam([longAnswer('1', { rubric })]));
      const sit = async (external_id: string) => {
        const { id } = await submit(grading.api, exam.id, {
          candidate: { external_id },
          answers: [{ question_label: '1', text: 'The mitochondria release energy from food.' }],
        });
        return untilOver(grading.api, id);
      };
      const before = await sit('one');
      await grading.api.patch(`/exams/${exam.id}/rubrics`, {
        questions: { [idOf(exam, '1')]: { rubric: { criteria: [{ name: 'Second', marks: 2 }] } } },
      });
      const after = await sit('two');
      expect([before, after].map(({ status, rubric_version }) => ({ status, rubric_version }))).toEqual([
        { status: 'graded', rubric_version: 1 },
        { status: 'graded', rubric_version: 2 },
      ]);
      for (const [submission, name] of [
        [before, 'First'],
        [after, 'Second'],
      ] as const) {
        const result = await resultOf(grading.api, submission.id);
        expect(result.questions[0]?.criteria.map((criterion) => criterion.name)).toEqual([name]);
        const pinned = await behind<{ rubric: Rubric }>(
          grading.database,
          `select paper -> 'questions' -> 0 -> 'rubric' as rubric from runs where submission_id = $1`,
          [submission.id],
        );
        expect(pinned.map((run) => run.rubric.criteria.map((criterion) => criterion.name))).toEqual([[name]]);
      }
    } finally {
      await grading.close();
    }
  });
});
