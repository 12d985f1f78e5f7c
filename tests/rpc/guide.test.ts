import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, resultOf, submit, untilOver } from '../harness/api.ts';
import { longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { evidenceOf, marksOf, replayOf } from '../harness/replayOf.ts';
import { startService } from '../harness/service.ts';
import { openStaff } from '../harness/staff.ts';

/* Tests marks learned from the teacher over core's public router, with the baseline as grader, and their replay. */

const service = closedAfterTests(await startService());
const staff = closedAfterTests(await openStaff(service));

const MODEL_ANSWER =
  'Ice floats because it is less dense than water, since its molecules form an open lattice.';
const ANSWERS = [
  'Ice is less dense than water.',
  'It is lighter because of an open lattice of molecules.',
  'Ice floats since it is cold.',
  'The molecules of ice form an open lattice, so ice is less dense and floats.',
  'Because water is heavy.',
  'Less dense than water, and that is why ice floats.',
  'Ice has air in it.',
];

test('guided marks and their replay are the same to the byte, before and after an undo and for a later run', async () => {
  const { api, instituteId } = await service.newInstitute();
  const exam = await createExam(
    api,
    typedExam([
      mcq('1'),
      longAnswer('2', { text: 'Why does ice float?', model_answer: MODEL_ANSWER, max_marks: 4 }),
    ]),
  );
  const submitted = async (text: string): Promise<Submission> =>
    submit(api, exam.id, {
      candidate: { external_id: randomUUID() },
      answers: [
        { question_label: '1', option_labels: ['B'] },
        { question_label: '2', text },
      ],
    });
  const submissions = await Promise.all(ANSWERS.map(submitted));
  for (const { id } of submissions) await untilOver(api, id);
  const questionId = (await resultOf(api, submissions[0]?.id ?? '')).questions[1]?.question_id ?? '';
  for (const [index, awarded] of [4, 3, 1].entries()) {
    await api.patch(`/submissions/${submissions[index]?.id}/questions/${questionId}`, {
      reviewer: 'T1',
      awarded,
    });
  }
  const rest = submissions.slice(3);
  const asGraded = await Promise.all(rest.map(({ id }) => resultOf(api, id)));
  const guide = staff.as(instituteId).guide;
  await guide.set.mutate({ exam_id: exam.id, mode: 'apply' });
  const preview = await guide.preview.mutate({ exam_id: exam.id });
  expect(preview).toMatchObject({ number: 1, step: 'previewed', preview: { results: 14, credits: 0 } });
  const applied = await guide.applyPreview.mutate({ exam_id: exam.id, number: 1 });
  expect(applied).toMatchObject({ step: 'applied', applied: preview.preview });

  const isReplayed = async (id: string): Promise<void> => {
    const shown = marksOf(await resultOf(api, id));
    const { outcome, differences } = await replayOf(service.environment, id);
    expect(differences).toEqual([]);
    expect(outcome).toEqual(shown);
  };
  const [first, second] = rest;
  if (first === undefined || second === undefined) throw new Error('too few submissions');
  await isReplayed(first.id);
  expect(await evidenceOf(service.environment, first.id)).toContain('"kind":"guide"');
  const guided = await resultOf(api, first.id);
  expect(guided.questions[1]).toMatchObject({ source: 'ai', review: { edited: false } });
  expect(guided.questions[1]?.confidence).not.toBe(asGraded[0]?.questions[1]?.confidence);
  expect(guided.questions[0]).toEqual(asGraded[0]?.questions[0]);
  expect(guided.credits_charged).toBe(asGraded[0]?.credits_charged);

  const late = await submitted('Its open lattice makes ice less dense.');
  await untilOver(api, late.id);
  await isReplayed(late.id);
  expect(await evidenceOf(service.environment, late.id)).toContain('"kind":"guide"');

  await guide.undo.mutate({ exam_id: exam.id, number: 1 });
  expect(await Promise.all(rest.map(({ id }) => resultOf(api, id)))).toEqual(asGraded);
  await isReplayed(second.id);
  expect(await evidenceOf(service.environment, second.id)).not.toContain('"kind":"guide"');
});

test('only staff with the scope evaluation:review reach the guide, and an API key never does', async () => {
  const { api, instituteId, keyId } = await service.newInstitute();
  const exam = await createExam(api, typedExam([longAnswer('1')]));
  const input = { exam_id: exam.id };
  expect(await staff.as(instituteId).guide.show.query(input)).toMatchObject({ mode: 'off', in_force: null });
  await expect(staff.as(instituteId, ['evaluation:read']).guide.show.query(input)).rejects.toThrow('scope');
  await expect(staff.as(randomUUID()).guide.show.query(input)).rejects.toThrow('not found');
  await expect(
    staff.as(instituteId).guide.suggestions.query({ ...input, question_id: randomUUID(), limit: 51 }),
  ).rejects.toThrow('BAD_REQUEST');

  const actor = { institute_id: instituteId, key_id: keyId, scopes: ['evaluation:review'] };
  const asKey = staff.access.as({ actor }).public;
  await expect(asKey.guide.show.query(input)).rejects.toThrow('FORBIDDEN');
});
