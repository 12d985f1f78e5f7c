import * as z from 'zod/v4';
import { errors, type ErrorCode } from './errors.ts';
import { MARK_STEP } from './schemas/markStep.ts';

/** What the caller should do about each code; TypeScript requires a row per code. */
const advice: Readonly<Record<ErrorCode, string>> = {
  malformed_json: 'Fix the body: valid JSON in UTF-8.',
  invalid_cursor: 'Start the pass again without `cursor`.',
  invalid_api_key: 'Check the key and whether it was revoked or has expired.',
  insufficient_credits: 'Add credits, then send the request again; the same `Idempotency-Key` may be used.',
  insufficient_scope: 'Use a key that has the scope in `details.required_scope`.',
  product_not_enabled: 'Have the Evaluation API enabled for the institute.',
  not_found: 'Check the id, and that the key belongs to the institute of the resource.',
  exam_not_found: 'Check the id; exams made in the dashboard are not visible to the API.',
  candidate_not_found:
    'Check the id; where several were sent, create the candidates named in `details.candidate_ids` first.',
  conflict: 'Read the resource again and decide by its state.',
  exam_exists: 'Go on with the exam in `details.exam_id`, or choose another `external_ref`.',
  exam_finalized: 'Leave the exam as it is, or have a result unfinalized first.',
  exam_not_open: 'Open the exam, then submit again.',
  submission_exists: 'Go on with the submission in `details.submission_id`.',
  request_in_progress: 'Retry in a moment, with the same `Idempotency-Key`.',
  submission_finalized: 'Leave the submission as it is, or have it unfinalized first.',
  already_completed: 'Read the submission: its grading is over.',
  evaluation_in_progress: 'Wait until the run is over, or cancel it.',
  rubric_version_mismatch: 'Read the rubrics again, and send the edit with their current version.',
  candidate_has_submission: 'Delete the submission first, or leave the candidate registered.',
  unsupported_media_type: 'Send `Content-Type: application/json`.',
  validation_failed: 'Fix the fields in `details.errors`.',
  exam_not_ready: 'Complete the paper: `details.errors` says what is missing.',
  language_not_supported: 'Send English only.',
  unknown_option_label: 'Use the option labels of the question.',
  mode_mismatch: 'Send `upload_id` for a handwritten exam, `answers` for a typed one.',
  too_many_pages: 'Send a copy of at most 80 pages.',
  feature_not_available: 'Leave the reserved field out.',
  rubric_marks_mismatch: 'Make the marks of the criteria add up to `max_marks`.',
  rubric_duplicate_criterion: 'Give each criterion a name of its own.',
  rubric_guidance_has_marks: 'Take the mark figures out of `guidance`.',
  idempotency_key_reused: 'Use a new key for each request; repeat a request unchanged with its own.',
  rate_limited: 'Wait as long as `Retry-After` says. A refused request uses up nothing.',
  daily_quota_exceeded: 'Wait as long as `Retry-After` says, or until `details.resets_at`.',
  internal_error: 'Retry with backoff.',
  service_unavailable: 'Wait as long as `Retry-After` says.',
};

/** The codes of `details.errors[].code` (docs/api/conventions.md#errors), as returned by `problemsOf`. */
const fieldCodes: readonly (readonly [string, string])[] = [
  ['required', 'The field is missing or empty.'],
  ['invalid_type', 'The value is of another JSON type.'],
  ['invalid_value', 'The value is not one of those allowed, or not in the right form.'],
  ['out_of_range', 'The number is too small or too large.'],
  [
    'invalid_step',
    `Marks go in steps of ${MARK_STEP}; negative marks and those of criteria have at most 6 decimal places.`,
  ],
  ['too_long', 'The text (counted in code points), the list or the object is too long.'],
  ['too_short', 'The text or the list is too short.'],
  ['invalid_characters', 'A character that the field cannot hold: `<`, `>` or U+0000.'],
  ['duplicate', 'The value stands twice where it may stand once.'],
  ['not_allowed', 'The field cannot be sent together with what else was sent.'],
  ['unknown_question', 'The exam has no question of this id or label.'],
  ['unknown_section', 'A question names a section that is not among those declared.'],
  ['too_many_sections', 'The questions name more than 20 sections.'],
  ['unknown_field', 'The field is not known; only `PATCH` refuses it.'],
];

/** The same request may be sent again. Other refusals stay the same until the request changes. */
const isRetried = (code: string, status: number): boolean =>
  code === 'request_in_progress' || status === 429 || status >= 500;

/** Field names in `details` of a code; optional ones in brackets. */
const detailsText = (details: z.ZodType | undefined): string => {
  if (details === undefined) return '';
  if (!(details instanceof z.ZodObject)) throw new Error('The details of an error are an object.');
  return Object.entries(details.shape)
    .map(([name, schema]) => (schema instanceof z.ZodOptional ? `[\`${name}\`]` : `\`${name}\``))
    .join(', ');
};

export const errorsPage = (): string => {
  const rows = Object.entries(errors)
    .map(([code, row]) => ({
      code,
      ...row,
      advice: Object.entries(advice).find(([of]) => of === code)?.[1] ?? '',
    }))
    .sort((a, b) => a.status - b.status);
  return [
    '# Errors',
    '',
    '<!-- Generated from contracts/rest/src/errors.ts: `npm run generate:docs -w @evaluation/rest-contract`. -->',
    '',
    'Every error has one body: `{error: {code, message, request_id, details?}}`. Branch on `error.code`; codes never change, and new ones may come. `request_id` is also the header `X-Request-Id`.',
    '',
    '**Retry** only where the table says so, that is `409 request_in_progress`, `429` and `5xx`: wait for `Retry-After` where it is sent (`429`, `503`), else back off, with the same `Idempotency-Key`. Anything else fails again until the request or the state changes.',
    '',
    'A grading failure is no HTTP error: the submission was accepted, and later has `status: failed` with a code in its own `error`. It is not charged.',
    '',
    '| status | code | when | message | details | what to do | retry |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map(
      (row) =>
        `| ${row.status} | \`${row.code}\` | ${row.when} | ${row.message} | ${detailsText(row.details)} | ${row.advice} | ${isRetried(row.code, row.status) ? 'yes' : 'no'} |`,
    ),
    '',
    '## Field codes',
    '',
    'Each entry of `details.errors` is `{field, code, message}`; `field` is a path such as `questions[3].options[0].label`. A field can also carry one of the codes above, such as `rubric_marks_mismatch`.',
    '',
    '| code | when |',
    '| --- | --- |',
    ...fieldCodes.map(([code, when]) => `| \`${code}\` | ${when} |`),
    '',
  ].join('\n');
};
