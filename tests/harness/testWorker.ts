import {
  failureOf,
  type RecordedBatch,
  type RecordedQuestion,
  type RunMaterial,
} from '@evaluation/core-client';
import type { GradingFailure } from '@evaluation/rest-contract/grading-failures';
import { behind } from './behind.ts';
import { eventually } from './ledger.ts';
import type { TestService } from './service.ts';

/**
 * A worker that a test controls: it claims runs and reports outcomes over the same calls as a real worker. For a
 * service without workers (`startIdleService`).
 */
export interface TestWorker {
  /** Claims the submission's run as soon as it is released. */
  claim(submissionId: string): Promise<TestClaim>;
  /** Claims as for one delivery of a run's message. @returns null for a repeated or late message */
  deliver(run: { id: string; institute_id: string }): Promise<TestClaim | null>;
}

export interface TestClaim {
  material: RunMaterial;
  /** How each call to core names the claim. */
  held: { run_id: string; institute_id: string; fence: number; token: string };
  step(step: 'processing' | 'reading' | 'grading'): Promise<WriteOutcome>;
  /** Records questions that wait for the AI, in one batch. */
  mark(marks: Marks): Promise<WriteOutcome>;
  /** Completes the run, in the call that records the last marks. */
  complete(lastMarks?: Marks, reviewReasons?: string[]): Promise<WriteOutcome>;
  fail(reason: GradingFailure): Promise<WriteOutcome>;
  handBack(): Promise<WriteOutcome>;
}

type Mark = number | 'failed';

/** A mark for all questions that wait for the AI, or marks by the label of the question. */
export type Marks = Mark | Record<string, Mark>;

/** `lost`: core refused, since another claim or an end of the run has replaced this claim. */
type WriteOutcome = 'ok' | 'lost';

export const testWorker = (service: TestService): TestWorker => {
  const { grading } = service.grading.as({});
  const deliver: TestWorker['deliver'] = async ({ id, institute_id }) => {
    const material = await grading.claim.mutate({ run_id: id, institute_id, worker: 'by hand' });
    return material === null ? null : testClaim(grading, material);
  };
  return {
    deliver,
    claim: (submissionId) =>
      eventually(`a released run of ${submissionId}`, async () => {
        const [run] = await behind<{ id: string; institute_id: string }>(
          service.database,
          `select r.id, r.institute_id from runs r join submissions s on s.current_run_id = r.id
           where s.id = $1 and r.status = 'released'`,
          [submissionId],
        );
        return run === undefined ? undefined : ((await deliver(run)) ?? undefined);
      }),
  };
};

const testClaim = (
  grading: ReturnType<TestService['grading']['as']>['grading'],
  material: RunMaterial,
): TestClaim => {
  const { run_id, institute_id, fence, token } = material;
  const held = { run_id, institute_id, fence, token };
  const outcomeOf = async (call: Promise<unknown>): Promise<WriteOutcome> => {
    try {
      await call;
      return 'ok';
    } catch (error) {
      if (failureOf(error)?.code === 'conflict') return 'lost';
      throw error;
    }
  };
  const waiting = material.questions.filter(
    ({ id }) => material.lane === 'copy' || material.answers.some(({ question_id }) => question_id === id),
  );
  const recordsOf = (marks: Marks) =>
    waiting.flatMap(({ id, label }) => {
      const mark = typeof marks === 'object' ? marks[label] : marks;
      return mark === undefined ? [] : [{ result: recordedResult(id, mark) }];
    });
  const record = (batch: RecordedBatch) =>
    outcomeOf(grading.record.mutate({ held, ...batch, used: NOTHING_USED }));
  return {
    material,
    held,
    step: (step) => record({ step }),
    mark: (marks) => record({ questions: recordsOf(marks) }),
    complete: (lastMarks = {}, reviewReasons = []) =>
      record({
        questions: recordsOf(lastMarks),
        completion: { checked_copy: null, review_reasons: reviewReasons, ...NOTHING_USED },
      }),
    fail: (reason) => outcomeOf(grading.fail.mutate({ held, reason, used: NOTHING_USED })),
    handBack: () => outcomeOf(grading.handBack.mutate({ held })),
  };
};

/** Token usage of a worker that does not call a model. */
export const NOTHING_USED: NonNullable<RecordedBatch['used']> = {
  grader: { provider: 'by hand', model: 'by hand', prompt_versions: [] },
  usage: {
    calls: 0,
    input_tokens: 0,
    cached_input_tokens: 0,
    output_tokens: 0,
    duration_ms: 0,
    cost: null,
    by_call: {},
  },
};

/** What a worker records of a question. */
export const recordedResult = (questionId: string, awarded: Mark): RecordedQuestion => ({
  question_id: questionId,
  status: awarded === 'failed' ? 'failed' : 'graded',
  awarded: awarded === 'failed' ? null : awarded,
  confidence: awarded === 'failed' ? null : 0.9,
  needs_review: awarded === 'failed',
  review_reasons: awarded === 'failed' ? ['failed'] : [],
  extracted_answer: 'What was read.',
  feedback: awarded === 'failed' ? null : 'Well done.',
  criteria: [],
  annotations: [],
  error: awarded === 'failed' ? { reason: 'question_not_graded' } : null,
});
