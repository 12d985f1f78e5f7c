import { describe, expect, test } from 'vitest';
import {
  type Exam,
  type ResultList,
  type Submission,
  type SubmissionList,
} from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { type Answer, type ErrorBody } from '../../harness/api.ts';
import { mcq } from '../../harness/papers.ts';
import { newTestExam, type TestExam, type TestSubmission } from '../../harness/testExam.ts';
import { expectRefused, startIdleService } from '../../harness/tenant.ts';

const service = closedAfterTests(await startIdleService({ LEASE_SECONDS: '300' }));

const examWith = async (
  ...statuses: Submission['status'][]
): Promise<TestExam & { by: TestSubmission[] }> => {
  const hall = await newTestExam(service);
  const by: TestSubmission[] = [];
  for (const status of statuses) by.push(await hall.reach(status));
  return { ...hall, by };
};

const first = ([submission]: readonly TestSubmission[]): TestSubmission => {
  if (submission === undefined) throw new Error('there is no submission');
  return submission;
};

describe('the status of an exam', () => {
  test('becomes finalized with the last live submission; while some are not final it stays open', async () => {
    const { tenant, exam, finalize, status, by } = await examWith('graded', 'graded', 'failed');
    const updatedAt = async () => (await tenant.api.get<Exam>(`/exams/${exam.id}`)).body.updated_at;
    const seen: string[] = [await status()];
    const times = [await updatedAt()];
    const bodies = [
      ...by.slice(0, 2).map(({ id }) => ({ submission_ids: [id] })),
      { all_graded: true, allow_partial: true },
    ];
    for (const body of bodies) {
      await finalize(body);
      seen.push(await status());
      times.push(await updatedAt());
    }
    expect(seen).toEqual(['open', 'open', 'open', 'finalized']);
    expect(times.at(-1)).not.toBe(times.at(-2));
  });

  test('becomes finalized when the last submission that is not final is deleted; without submissions it stays open', async () => {
    const { finalize, status, by } = await examWith('graded', 'queued');
    await finalize({ all_graded: true });
    expect(await status()).toBe('open');
    await by[1]?.remove();
    expect(await status()).toBe('finalized');
    await by[0]?.unfinalize();
    await by[0]?.remove();
    expect(await status()).toBe('open');
  });

  test('becomes open again by a new submission, and by unfinalizing one', async () => {
    const { finalize, status, reach, by } = await examWith('graded');
    await finalize({ all_graded: true });
    expect(await status()).toBe('finalized');
    const late = await reach('graded');
    expect(await status()).toBe('open');
    await finalize({ submission_ids: [late.id] });
    expect(await status()).toBe('finalized');
    await first(by).unfinalize();
    expect(await status()).toBe('open');
  });

  test('refuses changes to exam, questions and candidates with exam_finalized while finalized', async () => {
    const { tenant, exam, finalize, questionId, by } = await examWith('graded');
    await finalize({ all_graded: true });
    const { candidate } = await first(by).read();
    const path = `/exams/${exam.id}`;
    const { api } = tenant;
    const changes: (() => Promise<Answer<ErrorBody>>)[] = [
      () => api.patch(path, { title: 'Late' }),
      () => api.delete(path),
      () => api.post(`${path}/questions`, { questions: [mcq('9')] }),
      () => api.patch(`${path}/questions/${questionId('2')}`, { text: 'Late?' }),
      () => api.delete(`${path}/questions/${questionId('2')}`),
      () => api.patch(`${path}/rubrics`, { questions: { [questionId('2')]: { model_answer: 'Late.' } } }),
      () => api.post(`${path}/candidates`, { candidates: [{ external_id: 'late' }] }),
      () => api.delete(`${path}/candidates/${candidate.id}`),
    ];
    for (const change of changes) await expectRefused(tenant, change, 409, 'exam_finalized');
    await first(by).unfinalize();
    expect((await api.patch(path, { title: 'Late' })).status).toBe(200);
  });

  test('every change of a finalized submission is refused', async () => {
    const { tenant, finalize, by } = await examWith('graded', 'failed');
    await finalize({ all_graded: true, allow_partial: true });
    for (const one of by) {
      const before = [await one.read(), await one.result()];
      const asked: [() => Promise<Answer<ErrorBody>>, string][] = [
        [() => one.override('2', { reviewer: 'T', awarded: 0 }), 'submission_finalized'],
        [() => one.approve(), 'submission_finalized'],
        [() => one.reEvaluate({ keep_overrides: false }), 'submission_finalized'],
        [() => one.replace(), 'submission_finalized'],
        [() => one.remove(), 'submission_finalized'],
        [() => one.cancel(), 'already_completed'],
      ];
      for (const [ask, code] of asked) await expectRefused(tenant, ask, 409, code);
      expect([await one.read(), await one.result()]).toEqual(before);
    }
  });

  test('the filter `finalized` of the lists of submissions and results follows', async () => {
    const { tenant, exam, finalize, by } = await examWith('graded', 'graded');
    const [final, open] = by;
    await finalize({ submission_ids: [final?.id] });
    const listed = async (finalized: 'true' | 'false') => {
      const query = `finalized=${finalized}`;
      const submissions = await tenant.api.get<SubmissionList>(`/exams/${exam.id}/submissions?${query}`);
      const results = await tenant.api.get<ResultList>(`/exams/${exam.id}/results?${query}`);
      return [
        submissions.body.data.map(({ id }) => id),
        results.body.data.map(({ submission_id }) => submission_id),
      ];
    };
    expect(await listed('true')).toEqual([[final?.id], [final?.id]]);
    expect(await listed('false')).toEqual([[open?.id], [open?.id]]);
    await final?.unfinalize();
    expect(await listed('true')).toEqual([[], []]);
  });
});
