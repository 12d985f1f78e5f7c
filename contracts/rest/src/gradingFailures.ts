import type { GradingError } from './schemas/submission.ts';

/*
 * Why a run or a question failed: public code and message by reason. A worker sends the reason, and core takes the
 * message from here, so that workers do not write texts for teachers. Several reasons share a public code. Add a reason
 * here one release before workers send it: core shows a general failure for an unknown one.
 */

const failures = {
  nothing_readable: [
    'copy_unreadable',
    'Nothing could be read on the copy. Scan it again, sharper and brighter, and submit the new file.',
  ],
  pages_broken: [
    'copy_unreadable',
    'The copy could not be opened for reading. Scan it again and submit the new file.',
  ],
  pages_too_slow: [
    'copy_unreadable',
    'The pages of the copy could not be prepared in the time that we allow. Save the copy as a smaller file and submit the new file.',
  ],
  pages_too_large: [
    'copy_unreadable',
    'The pages of the copy could not be prepared in the memory that we have for it. Save the copy as a smaller file and submit the new file.',
  ],
  /** For any copy of an institute whose unreadable files used up their time of the day. */
  day_used_up: [
    'copy_unreadable',
    'Copies of the institute that cannot be read have used up the time that they may have in a day. Evaluate the submission again tomorrow.',
  ],
  other_language: ['language_not_supported', 'The copy is not written in English.'],
  timed_out: ['timed_out', 'Grading took too long. Evaluate the submission again.'],
  broke_down: ['grading_failed', 'Grading broke down on our side. Evaluate the submission again later.'],
  broke_down_often: ['grading_failed', 'Grading broke down several times. Evaluate the submission again.'],
  model_failed: ['grading_failed', 'The model could not grade this submission. Evaluate it again later.'],
  /** The endpoint did not answer, refused the call, or its preflight failed; one row for each cause. */
  model_unreachable: [
    'model_unavailable',
    'The grading model is not available: it cannot be reached. Evaluate the submission again when it is.',
  ],
  model_too_slow: [
    'model_unavailable',
    'The grading model is not available: it does not answer in time. Evaluate the submission again when it is.',
  ],
  model_throttled: [
    'model_unavailable',
    'The grading model is not available: it has too much to do. Evaluate the submission again when it is.',
  ],
  model_refused: [
    'model_unavailable',
    'The grading model is not available: it refuses this service. Evaluate the submission again when it is.',
  ],
  model_request_refused: [
    'model_unavailable',
    'The grading model is not available: it refuses requests of this kind. Evaluate the submission again when it is.',
  ],
  model_schema_not_kept: [
    'model_unavailable',
    'The grading model is not available: its replies do not have the form that was asked for. Evaluate the submission again when it is.',
  ],
  model_pictures_refused: [
    'model_unavailable',
    'The grading model is not available: it takes no images. Evaluate the submission again when it is.',
  ],
  model_blind: [
    'model_unavailable',
    'The grading model is not available: it does not see images. Evaluate the submission again when it is.',
  ],
  model_loses_pictures: [
    'model_unavailable',
    'The grading model is not available: it does not see images. Evaluate the submission again when it is.',
  ],
  model_context_refused: [
    'model_unavailable',
    'The grading model is not available: it takes no long texts. Evaluate the submission again when it is.',
  ],
  model_context_cut: [
    'model_unavailable',
    'The grading model is not available: it forgets the beginning of long texts. Evaluate the submission again when it is.',
  ],
  model_loses_text: [
    'model_unavailable',
    'The grading model is not available: it forgets the beginning of long texts. Evaluate the submission again when it is.',
  ],
  model_too_weak: [
    'model_unavailable',
    'The grading model is not available: it does not find two words in a long text. Evaluate the submission again when it is.',
  ],
  /** For one question; the other questions of the submission still count. */
  question_not_graded: ['grading_failed', 'The model could not grade this question.'],
  question_not_answered: ['grading_failed', 'The model gave no answer to this question, time and again.'],
} as const satisfies Record<string, readonly [code: string, message: string]>;

export type GradingFailure = keyof typeof failures;

/** Public codes of failures. */
export type GradingErrorCode = (typeof failures)[GradingFailure][0];

const isGradingFailure = (reason: string): reason is GradingFailure => Object.hasOwn(failures, reason);

export const gradingFailures = Object.keys(failures).filter(isGradingFailure);

export const gradingError = (reason: GradingFailure): GradingError => {
  const [code, message] = failures[reason];
  return { code, message };
};

/** Returns the public failure for the reason that a worker sent. @param otherwise reason to use for an unknown one */
export const shownFailure = (reason: string, otherwise: GradingFailure): GradingError =>
  gradingError(isGradingFailure(reason) ? reason : otherwise);
