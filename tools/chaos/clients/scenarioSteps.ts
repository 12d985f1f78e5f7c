import { isDeepStrictEqual } from 'node:util';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Result, Submission } from '@evaluation/rest-contract/schemas';
import type { Random } from '../../../tests/harness/seededRandom.ts';
import { answersOf } from '../model/truth.ts';
import type { Book } from './book.ts';
import type { Reply, RetryingClient } from './retrying.ts';

/** Steps that the scenarios of clients share. Each step writes the client's answers into the book. */
export interface ScenarioSteps {
  client: RetryingClient;
  book: Book;
  random: Random;
  /** Throws unless the answer has one of these statuses. */
  expectStatus(what: string, reply: Reply<unknown>, ...statuses: number[]): void;
  submit(examId: string, options: { candidate: string; replace?: boolean }): Promise<Submission>;
  /** Submits any body, at times twice at once with the same key, as a client with a time-out does. */
  submitBody(examId: string, body: object, marks: Record<string, number>): Promise<Submission>;
  /** Reads until grading is over. Re-evaluates a submission whose run lost three workers. @returns the last reading */
  untilGraded(submissionId: string): Promise<Submission>;
  untilOver(submissionId: string): Promise<Submission>;
  reEvaluate(submissionId: string): Promise<Submission>;
  expectMarks(submissionId: string): Promise<Result>;
  newToken(): string;
}

const POLL_MS = 250;
const LONGEST_GRADING_MS = 240_000;
const OVER = new Set(['graded', 'partially_graded', 'failed', 'cancelled']);

export const newScenarioSteps = (
  client: RetryingClient,
  book: Book,
  random: Random,
  tokens: () => number,
): ScenarioSteps => {
  const newToken = (): string => `k${tokens()}`;
  const expectStatus: ScenarioSteps['expectStatus'] = (what, reply, ...statuses) => {
    if (!statuses.includes(reply.status))
      throw new Error(`${what} answered ${reply.status} ${JSON.stringify(reply.body)} (try ${reply.tries})`);
  };

  const accept = (submission: Submission): void => {
    book.accepted.push({ submissionId: submission.id, attempt: submission.attempt_count });
  };

  const submitBody: ScenarioSteps['submitBody'] = async (examId, body, marks) => {
    const key = randomUUID();
    const send = () => client.post<Submission>(`/exams/${examId}/submissions`, body, key);
    const replies = await Promise.all(random() < 0.2 ? [send(), send()] : [send()]);
    const [first] = replies;
    if (first === undefined) throw new Error('no reply');
    for (const reply of replies) expectStatus('submit', reply, 202);
    if (new Set(replies.map((reply) => reply.body.id)).size > 1)
      throw new Error(
        `one Idempotency-Key made two submissions: ${replies.map(({ body: { id } }) => id).join()}`,
      );
    accept(first.body);
    book.marks.set(first.body.id, marks);
    return first.body;
  };

  const untilOver = async (submissionId: string): Promise<Submission> => {
    const began = performance.now();
    for (let pauseMs = POLL_MS; ; pauseMs = Math.min(pauseMs * 1.3, 2_000)) {
      const reply = await client.get<Submission>(`/submissions/${submissionId}`);
      expectStatus('poll', reply, 200);
      if (OVER.has(reply.body.status)) return reply.body;
      if (performance.now() - began > LONGEST_GRADING_MS)
        throw new Error(`submission ${submissionId} is stuck in ${reply.body.status}`);
      await wait(pauseMs);
    }
  };

  const reEvaluate = async (submissionId: string): Promise<Submission> => {
    const reply = await client.post<Submission>(`/submissions/${submissionId}/re-evaluate`, {});
    expectStatus('re-evaluate', reply, 202);
    accept(reply.body);
    return reply.body;
  };

  return {
    client,
    book,
    random,
    newToken,
    expectStatus,
    submitBody,
    untilOver,
    reEvaluate,
    submit: (examId, { candidate, replace = false }) => {
      const { body, marks } = answersOf(newToken());
      return submitBody(examId, { candidate: { external_id: candidate }, answers: body, replace }, marks);
    },
    untilGraded: async (submissionId) => {
      for (;;) {
        const submission = await untilOver(submissionId);
        if (submission.status === 'graded') return submission;
        // Three workers died with the run: it ends uncharged, and the client evaluates it again.
        if (submission.status !== 'failed' || submission.error?.code !== 'grading_failed')
          throw new Error(
            `${submissionId} ended as ${submission.status} ${JSON.stringify(submission.error)}`,
          );
        await reEvaluate(submissionId);
      }
    },
    expectMarks: async (submissionId) => {
      const reply = await client.get<Result>(`/submissions/${submissionId}/result`);
      expectStatus('result', reply, 200);
      const found = marksIn(reply.body);
      const expected = book.marks.get(submissionId);
      if (!isDeepStrictEqual(found, expected))
        throw new Error(
          `marks of ${submissionId}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`,
        );
      return reply.body;
    },
  };
};

export const marksIn = (result: Result): Record<string, number> =>
  Object.fromEntries(result.questions.map(({ label, awarded }) => [label, awarded ?? Number.NaN]));
