import { failureOf, type RecordedQuestion, type RunMaterial } from '@evaluation/core-client';
import { behind } from './behind.ts';
import { eventually } from './ledger.ts';
import type { TestService } from './service.ts';

/**
 * A worker that a test controls: it claims runs and reports outcomes over the same calls as a real worker. For a
 * service without workers (`startIdleService`).
 */
export interface HandWorker {
  /** Claims the submission's run as soon as it is released. */
  claim(submissionId: string): Promise<HeldByHand>;
  /**
   * Claims as for one delivery of a run's message. @returns null if there is nothing to claim: a repeated or late
   * message
   */
  deliver(run: { id: string; institute_id: string }): Promise<HeldByHand | null>;
}

export interface HeldByHand {
  material: RunMaterial;
  /** How each call to core names the claim. */
  held: { run_id: string; institute_id: string; fence: number; token?: string };
  step(step: 'processing' | 'reading' | 'grading'): Promise<Said>;
  /** Records questions that wait for the AI: all, or those with these labels. */
  mark(awarded: number | 'failed', labels?: readonly string[]): Promise<Said>;
  complete(reviewReasons?: string[]): Promise<Said>;
  fail(code: string): Promise<Said>;
  handBack(): Promise<Said>;
}

/** `lost`: core refused, since another claim or an end of the run has replaced this claim. */
export type Said = 'ok' | 'lost';

export const handWorker = (service: TestService): HandWorker => {
  const { grading } = service.grading.as({});
  const deliver: HandWorker['deliver'] = async ({ id, institute_id }) => {
    const material = await grading.claim.mutate({
      run_id: id,
      institute_id,
      worker: 'by hand',
      with_token: true,
    });
    return material === null ? null : heldByHand(grading, material);
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

const heldByHand = (
  grading: ReturnType<TestService['grading']['as']>['grading'],
  material: RunMaterial,
): HeldByHand => {
  const { run_id, institute_id, fence, token } = material;
  const held = { run_id, institute_id, fence, ...(token === undefined ? {} : { token }) };
  const say = async (call: Promise<unknown>): Promise<Said> => {
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
  return {
    material,
    held,
    step: (step) => say(grading.recordStep.mutate({ held, step })),
    mark: async (awarded, labels) => {
      for (const question of waiting) {
        if (labels !== undefined && !labels.includes(question.label)) continue;
        const said = await say(
          grading.recordQuestion.mutate({ held, result: resultOf(question.id, awarded) }),
        );
        if (said === 'lost') return said;
      }
      return 'ok';
    },
    complete: (reviewReasons = []) =>
      say(
        grading.complete.mutate({
          held,
          completion: {
            checked_copy: null,
            review_reasons: reviewReasons,
            grader: { provider: 'by hand', model: 'by hand' },
            usage: { calls: 0, input_tokens: 0, output_tokens: 0, duration_ms: 0 },
          },
        }),
      ),
    fail: (code) => say(grading.fail.mutate({ held, error: { code, message: `It was ${code}.` } })),
    handBack: () => say(grading.handBack.mutate({ held })),
  };
};

const resultOf = (questionId: string, awarded: number | 'failed'): RecordedQuestion => ({
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
  error: awarded === 'failed' ? { code: 'grading_failed', message: 'The model could not grade it.' } : null,
});
