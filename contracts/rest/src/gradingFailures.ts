import type { GradingError } from './schemas/submission.ts';

/*
 * Why a run or a question failed: what a client reads in `error`, by reason. A worker names the reason and core takes the
 * words from here, so no worker writes what a teacher sees. Several reasons share a public code. A new one is a line here;
 * workers use it one release after cores know it, or it is shown as its public code's first line.
 */

const failures = {
  /** Nothing was read on any page. */
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
    'The pages of the copy could not be prepared in the time that we allow. The same file is not tried again for a day: save the copy as a smaller file and submit the new file.',
  ],
  pages_too_large: [
    'copy_unreadable',
    'The pages of the copy could not be prepared in the memory that we have for it. The same file is not tried again for a day: save the copy as a smaller file and submit the new file.',
  ],
  /** Of any copy of an institute whose unreadable files used up their time of the day. */
  day_used_up: [
    'copy_unreadable',
    'Copies of the institute that cannot be read have used up the time that they may have in a day. Evaluate the submission again tomorrow.',
  ],
  other_language: ['language_not_supported', 'The copy is not written in English.'],
  timed_out: ['timed_out', 'Grading took too long. Evaluate the submission again.'],
  broke_down: ['grading_failed', 'Grading broke down on our side. Evaluate the submission again later.'],
  broke_down_often: ['grading_failed', 'Grading broke down several times. Evaluate the submission again.'],
  model_failed: ['grading_failed', 'The model could not grade this submission. Evaluate it again later.'],
  /** The endpoint was away or refused us, or its preflight failed: by what is wrong with it. */
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
  /** Of one question; the others of the submission still count. */
  question_not_graded: ['grading_failed', 'The model could not grade this question.'],
  question_not_answered: ['grading_failed', 'The model gave no answer to this question, time and again.'],
} as const satisfies Record<string, readonly [code: string, message: string]>;

export type GradingFailure = keyof typeof failures;

const isGradingFailure = (reason: string): reason is GradingFailure => Object.hasOwn(failures, reason);

export const gradingFailures = Object.keys(failures).filter(isGradingFailure);

export const gradingError = (reason: GradingFailure): GradingError => {
  const [code, message] = failures[reason];
  return { code, message };
};

/** A failure as a worker tells it. Workers of release 0.1.0 send code and message alone. */
export interface ToldFailure {
  reason?: string | undefined;
  code: string;
  message?: string | undefined;
}

/**
 * The words for a failure that a worker told: by its reason, else by the line with its words, else by its public code.
 * @param otherwise what is shown of a code that is not in the table
 */
export const shownFailure = (
  { reason, code, message }: ToldFailure,
  otherwise: GradingFailure,
): GradingError => {
  if (reason !== undefined && isGradingFailure(reason)) return gradingError(reason);
  const ofCode = gradingFailures.filter((one) => gradingError(one).code === code);
  const same = ofCode.find((one) => gradingError(one).message === message);
  const first = gradingError(otherwise).code === code ? otherwise : ofCode[0];
  return gradingError(same ?? first ?? otherwise);
};
