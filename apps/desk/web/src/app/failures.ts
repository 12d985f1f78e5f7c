import { isTRPCClientError } from '@trpc/client';
import type { PublicRouter } from '@evaluation/core-client';
import type { ErrorCode, Failure } from '@evaluation/rest-contract/errors';
import { languageNow, t, type TextKey } from './language.ts';

/** The typed failure in an error of a call; null for other errors. */
export const failureIn = (error: unknown): Failure | null =>
  isTRPCClientError<PublicRouter>(error) ? (error.data?.failure ?? null) : null;

/** HTTP status of an error of a call; null without an answer. */
export const statusOf = (error: unknown): number | null =>
  isTRPCClientError<PublicRouter>(error) ? (error.data?.httpStatus ?? null) : null;

/** True if no answer came, or if the service says that it is not available for a moment: trying again may help. */
export const isUnreachable = (error: unknown): boolean => {
  const status = statusOf(error);
  return status === null || status === 503;
};

/** Texts of the failures that a person at the desk can meet often. Core's own English text is used for the others. */
const TEXTS: Partial<Record<ErrorCode, TextKey>> = {
  not_found: 'app.failure.notFound',
  exam_not_found: 'app.failure.examNotFound',
  candidate_not_found: 'app.failure.candidateNotFound',
  insufficient_credits: 'app.failure.insufficientCredits',
  exam_finalized: 'app.failure.examFinalized',
  submission_finalized: 'app.failure.submissionFinalized',
  evaluation_in_progress: 'app.failure.evaluationInProgress',
  service_unavailable: 'app.failure.unreachable',
};

/** Texts of failures of which core's English text says more, such as what has changed. They are for other languages. */
const LESS_THAN_CORE: Partial<Record<ErrorCode, TextKey>> = {
  conflict: 'app.failure.conflict',
  validation_failed: 'app.failure.validationFailed',
  exam_not_open: 'app.failure.examNotOpen',
  exam_not_ready: 'app.failure.examNotReady',
  submission_exists: 'app.failure.submissionExists',
  candidate_has_submission: 'app.failure.candidateHasSubmission',
  too_many_pages: 'app.failure.tooManyPages',
  language_not_supported: 'app.failure.languageNotSupported',
  rate_limited: 'app.failure.rateLimited',
  daily_quota_exceeded: 'app.failure.dailyQuotaExceeded',
};

/** What went wrong, in the language of the page. */
export const textOfError = (error: unknown): string => {
  const failure = failureIn(error);
  if (failure !== null) {
    const key = TEXTS[failure.code] ?? (languageNow() === 'en' ? undefined : LESS_THAN_CORE[failure.code]);
    return key === undefined ? failure.message : t(key);
  }
  if (statusOf(error) === 403) return t('app.failure.role');
  return t(isUnreachable(error) ? 'app.failure.unreachable' : 'app.failure.unexpected');
};
