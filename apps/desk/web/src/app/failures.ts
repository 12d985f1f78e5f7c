import { isTRPCClientError } from '@trpc/client';
import type { PublicRouter } from '@evaluation/core-client';
import type { ErrorCode, Failure } from '@evaluation/rest-contract/errors';
import { problemsIn } from './fieldProblems.ts';
import { languageNow, t, type TextKey } from './language.ts';

/** The typed failure in an error of a call; null for other errors. */
export const failureIn = (error: unknown): Failure | null =>
  isTRPCClientError<PublicRouter>(error) ? (error.data?.failure ?? null) : null;

/** HTTP status of an error of a call; null without an answer. */
export const statusOf = (error: unknown): number | null =>
  isTRPCClientError<PublicRouter>(error) ? (error.data?.httpStatus ?? null) : null;

/** True if no answer came, or if the service answered that it is not available for a moment: a retry may succeed. */
export const isUnreachable = (error: unknown): boolean => {
  const status = statusOf(error);
  return status === null || status === 503;
};

/** Texts of the failures that a person at the desk can meet often, for all languages. */
const TEXTS = {
  not_found: 'app.failure.notFound',
  exam_not_found: 'app.failure.examNotFound',
  candidate_not_found: 'app.failure.candidateNotFound',
  insufficient_credits: 'app.failure.insufficientCredits',
  exam_finalized: 'app.failure.examFinalized',
  submission_finalized: 'app.failure.submissionFinalized',
  evaluation_in_progress: 'app.failure.evaluationInProgress',
  service_unavailable: 'app.failure.unreachable',
  internal_error: 'app.failure.unexpected',
} as const satisfies Partial<Record<ErrorCode, TextKey>>;

/**
 * Texts for languages other than English, of all other failures. Core's English text says more, such as what has
 * changed.
 */
const LESS_THAN_CORE: Readonly<Record<Exclude<ErrorCode, keyof typeof TEXTS>, TextKey>> = {
  conflict: 'app.failure.conflict',
  validation_failed: 'app.failure.validationFailed',
  exam_not_open: 'app.failure.examNotOpen',
  exam_not_ready: 'app.failure.examNotReady',
  exam_exists: 'app.problem.externalRefTaken',
  submission_exists: 'app.failure.submissionExists',
  candidate_has_submission: 'app.failure.candidateHasSubmission',
  too_many_pages: 'app.failure.tooManyPages',
  language_not_supported: 'app.failure.languageNotSupported',
  rate_limited: 'app.failure.rateLimited',
  daily_quota_exceeded: 'app.failure.dailyQuotaExceeded',
  request_in_progress: 'app.failure.inProgress',
  already_completed: 'app.failure.alreadyCompleted',
  product_not_enabled: 'app.failure.notEnabled',
  rubric_version_mismatch: 'app.failure.conflict',
  mode_mismatch: 'app.failure.conflict',
  unknown_option_label: 'app.problem.unknownOption',
  feature_not_available: 'app.problem.notAvailable',
  rubric_marks_mismatch: 'app.problem.rubricMarksMismatch',
  rubric_duplicate_criterion: 'app.problem.duplicate',
  rubric_guidance_has_marks: 'app.problem.guidanceHasMarks',
  // Failures of the API, which calls of this page do not meet.
  malformed_json: 'app.failure.unexpected',
  invalid_cursor: 'app.failure.unexpected',
  invalid_api_key: 'app.failure.unexpected',
  insufficient_scope: 'app.failure.unexpected',
  unsupported_media_type: 'app.failure.unexpected',
  idempotency_key_reused: 'app.failure.unexpected',
};

const hasOwnText = (code: ErrorCode): code is keyof typeof TEXTS => Object.hasOwn(TEXTS, code);

/** What went wrong, in the language of the page. A request that is not valid is explained by its fields. */
export const textOfError = (error: unknown): string => {
  const failure = failureIn(error);
  if (failure === null) {
    if (statusOf(error) === 403) return t('app.failure.role');
    if (statusOf(error) === 412) return t('app.failure.proof');
    return t(isUnreachable(error) ? 'app.failure.unreachable' : 'app.failure.unexpected');
  }
  const { code, message, details } = failure;
  const problems = [...new Set(problemsIn(details).values())];
  if (code === 'validation_failed' && problems.length > 0) return problems.slice(0, MOST_PROBLEMS).join(' ');
  if (hasOwnText(code)) return t(TEXTS[code]);
  // A later release of core may have codes that this release does not know.
  const key: TextKey | undefined = LESS_THAN_CORE[code];
  return languageNow() === 'en' ? message : t(key ?? 'app.failure.unexpected');
};

const MOST_PROBLEMS = 5;
