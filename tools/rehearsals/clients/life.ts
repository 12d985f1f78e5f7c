/**
 * The life of an exam that each generated client goes through. A program `life.*` gets the addresses and keys as
 * `Given`, in this order, and prints `LIFE` as one line of JSON, with values that it read from typed answers:
 *
 * 1. `GET /me`: `institute`.
 * 2. An open typed exam with `external_ref: life` and the Idempotency-Key `life`. Its questions have every type and
 *    every form of key: 1 `mcq_single`, 2 `mcq_multi`, 3 `true_false`, 4 `numeric` with a number, 5 with a text, 6 with
 *    a list of both, 7 `one_word`, 8 `long_answer` with a rubric. `GET .../questions`: `keys` of questions 4 to 7.
 * 3. Typed answers of candidate S-1, all correct.
 * 4. An open handwritten exam, an upload of `copy`, its PUT (`put`), its inspection (`checked`), its submission.
 * 5. `GET /submissions` with `updated_since` as a time of the language, one row a page, until both have ended: `copied`
 *    is why the blank copy failed. The result: `objective` has the marks of questions 1 to 7.
 * 6. Refusals while the exam is open, then an override of question 8 (`overridden`), final marks (`finalized`), and
 *    refusals after it: `refusals` has the status and code of each.
 */
export const LIFE = {
  institute: 'Life',
  keys: [24, '24.5', [24, '24.0'], 'Earth'],
  put: 200,
  checked: 'ready',
  copied: 'copy_unreadable',
  objective: [1, 2, 1, 2, 1, 2, 1],
  overridden: 1.5,
  finalized: true,
  refusals: [
    '401 invalid_api_key', // GET /me with a wrong key
    '400 invalid_cursor', // GET /exams with the cursor `no`
    '403 insufficient_scope', // POST /exams with a key that may only read
    '402 insufficient_credits', // answers for an exam of an institute without credits
    '404 exam_not_found', // GET /exams/{id of a submission}
    '409 exam_exists', // the same external_ref
    '422 idempotency_key_reused', // another exam with the key `life`
    '422 validation_failed', // an exam without a title
    '409 submission_exists', // answers of S-1 once more
    '422 mode_mismatch', // an upload for the typed exam
    '429 daily_quota_exceeded', // answers of S-2; the institute has 2 submissions a day
    '409 submission_finalized', // an override after the marks are final
  ],
};

export interface Given {
  baseUrl: string;
  apiKey: string;
  /** A key of the same institute with the scope `evaluation:read` alone. */
  readOnlyKey: string;
  /** A key of an institute without credits. */
  poorKey: string;
  /** The path of a PDF with one blank page. */
  copy: string;
}

/** What a program of the life gets, in the order of `Given`. */
export const argumentsOf = ({ baseUrl, apiKey, readOnlyKey, poorKey, copy }: Given): string[] => [
  baseUrl,
  apiKey,
  readOnlyKey,
  poorKey,
  copy,
];
