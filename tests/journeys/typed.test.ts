import { expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { examBody, typedSamples } from '../fixtures/fixtures.ts';
import { createExam, resultOf, submit, untilOver } from '../harness/api.ts';
import { replayOf } from '../harness/replayOf.ts';
import { startService } from '../harness/service.ts';

const service = closedAfterTests(await startService());

test('objective questions are marked by key at once, long answers per criterion', async () => {
  const { api } = service;
  const exam = await createExam(api, examBody('history-typed'));
  const [strong] = typedSamples();
  const submission = await submit(api, exam.id, { candidate: strong.candidate, answers: strong.answers });
  expect(submission).toMatchObject({ status: 'queued', lane: 'typed', pages: null, credits_charged: null });
  expect(submission.quote).toEqual({
    unit: 'answer',
    credits: strong.expected.non_blank_long_answers,
    rate_source: 'standard',
  });

  const graded = await untilOver(api, submission.id);
  expect(graded).toMatchObject({ status: 'graded', credits_charged: strong.expected.non_blank_long_answers });
  const result = await resultOf(api, submission.id);
  for (const question of result.questions) {
    const expected = strong.expected.objective[question.label];
    if (expected !== undefined)
      expect(question).toMatchObject({ status: 'graded', source: 'auto', awarded: expected });
    else expect(question).toMatchObject({ status: 'graded', source: 'ai', needs_review: true });
  }
  expect(result.totals.awarded).toBe(result.questions.reduce((sum, { awarded }) => sum + (awarded ?? 0), 0));
  expect(result.checked_copy).toEqual({ available: false, download_path: null });

  // The baseline leaves evidence like a model, although no model was called.
  const { outcome, differences } = await replayOf(service.environment, submission.id);
  expect(differences).toEqual([]);
  expect(outcome.submission?.totals).toEqual(result.totals);
});
