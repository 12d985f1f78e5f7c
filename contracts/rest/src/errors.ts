import * as z from 'zod/v4';

/**
 * The table of all failures: HTTP status, when it happens, the public message, and the shape of `details` where there
 * is one (docs/api/conventions.md#errors). apps/core/src/command/failures.ts has more specific messages for some cases.
 * Codes must not be renamed. A failure is thrown as a `DomainFailure` anywhere behind the facade, crosses tRPC with its
 * type, and becomes an error envelope in one place of the facade.
 */

const uuid = z.uuid();

/** An item of `details.errors[]`. `field` is a path such as `questions[3].options[0].label`. */
export const FieldError = z
  .object({ field: z.string(), code: z.string(), message: z.string() })
  .meta({ id: 'FieldError', description: 'One failing field of the request.' });
export type FieldError = z.infer<typeof FieldError>;

const fieldErrors = z.object({ errors: z.array(FieldError) });
const maybeFieldErrors = z.object({ errors: z.array(FieldError).optional() });

const row = <S extends number, D extends z.ZodType | undefined = undefined>(
  status: S,
  when: string,
  message: string,
  details?: D,
) => ({ status, when, message, details: details as D });

export const errors = {
  malformed_json: row(400, 'The body is not valid JSON.', 'The request body is not valid JSON.'),
  invalid_cursor: row(
    400,
    'The cursor was not issued for this list and these filters.',
    'The cursor is not valid for this list. Start again without it.',
  ),
  invalid_api_key: row(401, 'The key is missing or invalid.', 'The X-API-Key header is missing or invalid.'),
  insufficient_credits: row(
    402,
    'The quote exceeds the available credits; nothing is queued.',
    'The institute does not have enough credits for this submission.',
    z.object({
      required: z.number(),
      available: z.number(),
      balance: z.number(),
      credit_limit: z.number(),
      committed: z.number(),
    }),
  ),
  insufficient_scope: row(
    403,
    'The key lacks the scope of the endpoint.',
    'The API key does not have the scope that this call needs.',
    z.object({ required_scope: z.string() }),
  ),
  product_not_enabled: row(
    403,
    'The Evaluation API is not enabled for the institute.',
    'The Evaluation API is not enabled for this institute.',
  ),
  not_found: row(404, 'The resource is missing or belongs to another institute.', 'Not found.'),
  exam_not_found: row(
    404,
    'The exam is missing, of another institute, or deleted.',
    'The exam was not found.',
  ),
  candidate_not_found: row(
    404,
    'A candidate id is unknown, or not registered on the exam.',
    'The candidate was not found.',
    z.object({ candidate_ids: z.array(z.string()) }).partial(),
  ),
  conflict: row(
    409,
    'The resource is in a state that does not allow this.',
    'The resource is in a state that does not allow this.',
  ),
  exam_exists: row(
    409,
    'The `external_ref` is already used by another exam.',
    'An exam with this external_ref exists already.',
    z.object({ exam_id: uuid }),
  ),
  exam_finalized: row(409, 'The exam is finalized.', 'The exam is finalized and cannot be changed.'),
  exam_not_open: row(
    409,
    'A submission was sent to an exam that is not open.',
    'The exam is not open for submissions.',
  ),
  submission_exists: row(
    409,
    'The candidate already has a live submission.',
    'The candidate already has a live submission on this exam.',
    z.object({ submission_id: uuid }),
  ),
  request_in_progress: row(
    409,
    'The first request with the same `Idempotency-Key` is still running.',
    'A request with the same Idempotency-Key is still running. Retry in a moment.',
  ),
  submission_finalized: row(
    409,
    'A finalized submission was to be overridden, re-evaluated, replaced or deleted.',
    'The submission is finalized and cannot be changed.',
  ),
  already_completed: row(
    409,
    'A submission was to be cancelled whose grading has finished.',
    'Grading has finished; there is nothing left to cancel.',
  ),
  evaluation_in_progress: row(
    409,
    'A submission was to be evaluated again while a run is active.',
    'The submission is being graded. Cancel it, or wait until it is done.',
  ),
  rubric_version_mismatch: row(
    412,
    '`If-Match` names another rubric version than the current one.',
    'The rubrics have changed since that version.',
  ),
  candidate_has_submission: row(
    409,
    'The candidate to be unregistered has a live submission.',
    'The candidate has a submission on this exam and cannot be unregistered.',
  ),
  unsupported_media_type: row(415, 'The content type is not JSON.', 'Send the body as application/json.'),
  validation_failed: row(
    422,
    'A rule of the request is broken; `details.errors` lists every failing field.',
    'The request is not valid.',
    fieldErrors,
  ),
  exam_not_ready: row(
    422,
    'The open checks failed.',
    'The exam is not ready to be opened.',
    maybeFieldErrors,
  ),
  language_not_supported: row(
    422,
    'A language setting is `hi`, or an answer has more than 20% Devanagari letters.',
    'Only English is supported.',
    z.object({ question_label: z.string().optional(), errors: z.array(FieldError).optional() }),
  ),
  unknown_option_label: row(
    422,
    'An option label is not one of the question.',
    'An option label is not one of the question.',
    maybeFieldErrors,
  ),
  mode_mismatch: row(
    422,
    'The body does not match the mode of the exam.',
    'The body does not match the mode of the exam.',
  ),
  too_many_pages: row(422, 'The copy has more than 80 pages.', 'The copy has more than 80 pages.'),
  feature_not_available: row(
    422,
    'A reserved feature was asked for.',
    'This feature is not available.',
    maybeFieldErrors,
  ),
  rubric_marks_mismatch: row(
    422,
    'Criterion marks do not add up to `max_marks`.',
    'The marks of the criteria must add up to the max_marks of the question.',
    maybeFieldErrors,
  ),
  rubric_duplicate_criterion: row(
    422,
    'Two criteria of a rubric have the same name.',
    'Criterion names must be unique within a rubric.',
    maybeFieldErrors,
  ),
  rubric_guidance_has_marks: row(
    422,
    'The guidance of a criterion contains mark figures.',
    'Guidance must not contain mark figures: the marks of the criterion say them.',
    maybeFieldErrors,
  ),
  idempotency_key_reused: row(
    422,
    'The `Idempotency-Key` was used for another request in the last 48 hours.',
    'The Idempotency-Key was used for a different request. Use a new key for each request.',
  ),
  rate_limited: row(
    429,
    'A rate limit of the key or of the institute is used up; `RateLimit-*` say which.',
    'Too many requests. Wait as many seconds as Retry-After says.',
  ),
  daily_quota_exceeded: row(
    429,
    'The daily copy quota of the institute or the cap of the key is used up.',
    'The daily copy quota is used up.',
    z.object({
      quota: z.enum(['daily_copy_quota', 'daily_copy_cap']),
      limit: z.number().int(),
      resets_at: z.string(),
    }),
  ),
  internal_error: row(
    500,
    'Something broke on our side.',
    'Something went wrong on our side. Retry with backoff.',
  ),
  service_unavailable: row(
    503,
    'A part of the service is not reachable for the moment.',
    'The service is not available for the moment. Retry after the time in Retry-After.',
  ),
} as const;

export type ErrorCode = keyof typeof errors;

type Details<C extends ErrorCode> = (typeof errors)[C]['details'] extends z.ZodType
  ? z.infer<Extract<(typeof errors)[C]['details'], z.ZodType>>
  : never;

/** A failure as plain JSON, as it crosses tRPC. */
export interface Failure {
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown>;
}

/** Thrown by commands and rules; the type of `details` follows from the code. */
export class DomainFailure<C extends ErrorCode = ErrorCode> extends Error {
  readonly failure: Failure;

  constructor(code: C, options: { details?: Details<C>; message?: string } = {}) {
    super(`${code}: ${options.message ?? errors[code].message}`);
    this.name = 'DomainFailure';
    this.failure = {
      code,
      message: options.message ?? errors[code].message,
      ...(options.details === undefined ? {} : { details: { ...options.details } }),
    };
  }
}

/** The only error body of the API (docs/api/conventions.md#errors). */
export const ErrorEnvelope = z
  .object({
    error: z
      .object({
        code: z.string().meta({ enum: Object.keys(errors) }),
        message: z.string(),
        request_id: z.string(),
        details: z.record(z.string(), z.unknown()).optional(),
      })
      .meta({ id: 'ErrorBody' }),
  })
  .meta({ id: 'Error', description: 'Every error of the service. Branch on `error.code`.' });
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;
