import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type {
  Deleted,
  Exam,
  Finalized,
  QuestionResult,
  Result,
  Submission,
} from '@evaluation/rest-contract/schemas';
import type { ClonedDatabase } from '@evaluation/test-services';
import { createExam, resultOf, submit, type Answer, type ErrorBody } from './api.ts';
import { behind } from './behind.ts';
import type { TestClaim } from './testWorker.ts';
import { longAnswer, mcq, typedExam } from './papers.ts';
import type { TestService } from './service.ts';
import { takeRun } from './takeRun.ts';
import { expectOk, newTenant, type Tenant } from './tenant.ts';

/** Question 1 has 1 mark and is marked by key; questions 2 and 3 have 2 marks each and wait for the AI. */
const PAPER = typedExam([mcq('1', { negative_marks: 0.75 }), longAnswer('2'), longAnswer('3')]);
const ANSWERS = [
  { question_label: '1', option_labels: ['B'] },
  { question_label: '2', text: 'Because of this.' },
  { question_label: '3', text: 'Because of that.' },
];

type Reply<T> = Promise<Answer<T & ErrorBody>>;

/** One candidate's submission, with the calls that a teacher can make on it. */
export interface TestSubmission {
  id: string;
  path: string;
  held: TestClaim | null;
  read(): Promise<Submission>;
  result(): Promise<Result>;
  question(label: string): Promise<QuestionResult>;
  take(): Promise<TestClaim>;
  override(label: string, body: unknown): Reply<QuestionResult>;
  approve(body?: unknown): Reply<Submission>;
  unfinalize(body?: unknown): Reply<Submission>;
  reEvaluate(body?: unknown): Reply<Submission>;
  cancel(body?: unknown): Reply<Submission>;
  remove(): Reply<Deleted>;
  /** Submits again for the same candidate with `replace`, and these fields changed. */
  replace(change?: object): Reply<Submission>;
}

/** An exam in an institute of its own, and submissions to it. */
export interface TestExam {
  tenant: Tenant;
  exam: Exam;
  questionId(label: string): string;
  status(): Promise<Exam['status']>;
  /** Makes a submission of a new candidate and brings it to a status with a `TestWorker`. */
  reach(status: Submission['status']): Promise<TestSubmission>;
  /** Graded submissions with these answers to question 2. */
  gradedWith(texts: readonly string[]): Promise<TestSubmission[]>;
  wrap(submission: { id: string }, candidate: string): TestSubmission;
  finalize(body: unknown): Reply<Finalized>;
  /** Changes the model answers of questions. @returns the new rubric version */
  changeModelAnswers(...labels: string[]): Promise<number>;
}

export const newTestExam = async (
  service: TestService,
  options: Parameters<typeof newTenant>[1] = {},
): Promise<TestExam> => {
  const tenant = await newTenant(service, options);
  const { api } = tenant;
  const exam = await createExam(api, PAPER);
  const questionId = (label: string) => exam.questions.find((question) => question.label === label)?.id ?? '';
  const submissionsPath = `/exams/${exam.id}/submissions`;

  const wrap: TestExam['wrap'] = ({ id }, candidate) => {
    const path = `/submissions/${id}`;
    return {
      id,
      path,
      held: null,
      read: async () => (await api.get<Submission>(path)).body,
      result: () => resultOf(api, id),
      question: async (label) => {
        const { questions } = await resultOf(api, id);
        const found = questions.find((question) => question.label === label);
        if (found === undefined) throw new Error(`no question ${label}`);
        return found;
      },
      take: () => takeRun(service, id),
      override: (label, body) => api.patch(`${path}/questions/${questionId(label)}`, body),
      approve: (body) => api.post(`${path}/approve`, body),
      unfinalize: (body = { reason: 'A page was missed.' }) => api.post(`${path}/unfinalize`, body),
      reEvaluate: (body) => api.post(`${path}/re-evaluate`, body),
      cancel: (body) => api.post(`${path}/cancel`, body),
      remove: () => api.delete(path),
      replace: (change = {}) =>
        api.post(submissionsPath, {
          candidate: { external_id: candidate },
          answers: ANSWERS,
          replace: true,
          ...change,
        }),
    };
  };

  let candidates = 0;
  const reach: TestExam['reach'] = async (status) => {
    const candidate = `candidate-${(candidates += 1)}`;
    const body = { candidate: { external_id: candidate }, answers: ANSWERS };
    const submission = wrap(await submit(api, exam.id, body), candidate);
    const held = await REACH[status](submission, service.database);
    expect(await submission.read()).toMatchObject({ status });
    return { ...submission, held };
  };
  return {
    tenant,
    exam,
    questionId,
    status: async () => (await api.get<Exam>(`/exams/${exam.id}`)).body.status,
    wrap,
    reach,
    gradedWith: async (texts) => {
      const submissions: TestSubmission[] = [];
      for (const text of texts) {
        const submission = await reach('graded');
        await setAnswer(service.database, submission.id, questionId('2'), text);
        submissions.push(submission);
      }
      return submissions;
    },
    finalize: (body) => api.post(`/exams/${exam.id}/finalize`, body),
    changeModelAnswers: async (...labels) => {
      const questions = Object.fromEntries(
        labels.map((label) => [questionId(label), { model_answer: `Because of ${randomUUID()}.` }]),
      );
      return expectOk(await api.patch<{ version: number }>(`/exams/${exam.id}/rubrics`, { questions }))
        .version;
    },
  };
};

/** Replaces the text by which an answer is compared and grouped. */
export const setAnswer = (
  database: ClonedDatabase,
  submissionId: string,
  questionId: string,
  text: string | null,
) =>
  behind(
    database,
    `update question_results set extracted_answer = $3
     where question_id = $1 and run_id = (select current_run_id from submissions where id = $2)`,
    [questionId, submissionId, text],
  );

/** Only copies have these statuses. They are set on a typed submission, so that the tests need no upload. */
const takenAt =
  (status: 'processing' | 'reading') =>
  async ({ id, take }: TestSubmission, database: ClonedDatabase) => {
    const held = await take();
    await behind(database, 'update submissions set status = $2 where id = $1', [id, status]);
    return held;
  };

type Reach = (submission: TestSubmission, database: ClonedDatabase) => Promise<TestClaim | null>;

/** Brings a new submission to each status. Questions 2 and 3 get 1.5 marks each. */
const REACH: Record<Submission['status'], Reach> = {
  queued: async () => null,
  processing: takenAt('processing'),
  reading: takenAt('reading'),
  grading: async ({ take }) => {
    const held = await take();
    await held.mark({ 2: 1.5 });
    return held;
  },
  graded: async ({ take }) => {
    const held = await take();
    await held.complete(1.5);
    return held;
  },
  partially_graded: async ({ take }) => {
    const held = await take();
    await held.mark({ 2: 1.5 });
    await held.complete({ 3: 'failed' });
    return held;
  },
  failed: async ({ take }) => {
    const held = await take();
    await held.fail('nothing_readable');
    return held;
  },
  cancelled: async ({ cancel }) => {
    await cancel();
    return null;
  },
};
