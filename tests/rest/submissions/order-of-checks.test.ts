import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { errors, type ErrorCode } from '@evaluation/rest-contract/errors';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { answerOf, apiClient, createExam, submit, uploadCopy, type ApiClient } from '../../harness/api.ts';
import { newCandidates } from '../../harness/candidates.ts';
import { lookBehind } from '../../harness/ledger.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { plainPdf, presign, untilInspected } from '../../harness/pdfs.ts';
import { expectError, newTenant, problemsIn, startIdleService } from '../../harness/tenant.ts';
import { badFile } from '../../fixtures/fixtures.ts';

/*
 * Order of checks of POST /exams/{examId}/submissions (docs/architecture.md#order-of-checks): key, product, scope,
 * rate, media type, JSON, existence, state, validation, 402, quota 429; within creation first the exam, then the
 * candidate, then upload or answers. Each row is a request with two causes of refusal: the earlier check answers, and
 * no table changes. (No rate limit is set here.)
 */

/**
 * Keys by caller. `rich` is accepted, `broke` has no credits and no quota left, the others fail by key, product or
 * scope.
 */
const keys = { rich: '', broke: '', readOnly: '', disabled: '', disabledReadOnly: '', disabledRevoked: '' };
const exams = { typed: '', written: '', draft: '', deleted: '', unknown: randomUUID() };
const examsOfBroke = { typed: '', written: '' };
/** Both have a submission on each of the open exams; the submission of the second is finalized. */
const candidates = { withSubmission: '', withFinalized: '' };
const uploads = { used: '', pending: '', rejected: '', tooLong: '', ready: '', unknown: randomUUID() };
const uploadsOfBroke = { tooLong: '', ready: '' };

const service = closedAfterTests(await startIdleService());
const behind = closedAfterTests(lookBehind(service.database));

beforeAll(async () => {
  const provision = service.control.as({}).control;
  const [rich, broke, disabled] = await Promise.all([
    newTenant(service),
    newTenant(service, { credits: 0, dailyCopyQuota: 0 }),
    newTenant(service, { apiEnabled: false }),
  ]);
  const newKey = (institute_id: string, more: object = {}) =>
    provision.createKey.mutate({ institute_id, ...more });
  const readOnly = { scopes: ['evaluation:read'] };
  const revoked = await newKey(disabled.instituteId);
  await provision.revokeKey.mutate({ key_id: revoked.key_id });
  Object.assign(keys, {
    rich: rich.api.apiKey,
    broke: broke.api.apiKey,
    readOnly: (await newKey(rich.instituteId, readOnly)).api_key,
    disabled: disabled.api.apiKey,
    disabledReadOnly: (await newKey(disabled.instituteId, readOnly)).api_key,
    disabledRevoked: revoked.api_key,
  });
  const typed = typedExam([mcq('1'), longAnswer('2')]);
  const opened = async (api: ApiClient) => ({
    typed: (await createExam(api, typed)).id,
    written: (await createExam(api, handwrittenExam())).id,
  });
  Object.assign(exams, await opened(rich.api));
  Object.assign(examsOfBroke, await opened(broke.api));
  exams.draft = (await rich.api.post<Exam>('/exams', typed)).body.id;
  exams.deleted = (await rich.api.post<Exam>('/exams', typed)).body.id;
  await rich.api.delete(`/exams/${exams.deleted}`);
  const checked = async (api: ApiClient, pdf: Uint8Array): Promise<string> => {
    const id = await uploadCopy(api, pdf);
    await untilInspected(api, id);
    return id;
  };
  uploads.pending = (await presign(rich.api, 1000)).id;
  uploads.used = await checked(rich.api, plainPdf(1));
  uploads.rejected = await checked(rich.api, badFile('not-a-pdf.pdf'));
  uploads.tooLong = await checked(rich.api, plainPdf(81));
  uploads.ready = await checked(rich.api, plainPdf(2));
  uploadsOfBroke.tooLong = await checked(broke.api, plainPdf(81));
  uploadsOfBroke.ready = await checked(broke.api, plainPdf(1));
  const [first = '', second = ''] = await newCandidates(rich.api, 'has-one', 'is-finalized');
  Object.assign(candidates, { withSubmission: first, withFinalized: second });
  await submit(rich.api, exams.written, { candidate_id: first, upload_id: uploads.used });
  const upload_id = await uploadCopy(rich.api, plainPdf(1));
  await submit(rich.api, exams.written, { candidate_id: second, upload_id });
  for (const candidate_id of [first, second]) {
    await submit(rich.api, exams.typed, { candidate_id, answers: [] });
  }
  await behind.query('update submissions set finalized_at = now() where candidate_id = $1', [second]);
});

/** All rows of all tables, except the last use of keys and the presence of core, which change by themselves. */
const everything = async (): Promise<unknown[]> => {
  const tables = await behind.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'core_presence' order by 1`,
  );
  const hashes = tables.map(
    ({ name }) =>
      `select '${name}' as name, md5(string_agg(seen, ',' order by seen)) as rows
       from ${name} t, lateral (select (to_jsonb(t) - 'last_used_at')::text as seen) r`,
  );
  return behind.query(`${hashes.join(' union all ')} order by name`);
};

interface Call {
  key: string;
  exam: string;
  body: object | string;
  type?: string;
}

const post = async ({ key, exam, body, type = 'application/json' }: Call) =>
  answerOf(
    await apiClient(service.baseUrl, key).send(`/exams/${exam}/submissions`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );

const by =
  (key: keyof typeof keys, exam: keyof typeof exams, body: object | string, type = 'application/json') =>
  (): Call => ({ key: keys[key], exam: exams[exam], body, type });
const on = (exam: keyof typeof exams, body: () => object) => (): Call => ({
  key: keys.rich,
  exam: exams[exam],
  body: body(),
});
const onBroke = (exam: keyof typeof examsOfBroke, body: () => object) => (): Call => ({
  key: keys.broke,
  exam: examsOfBroke[exam],
  body: body(),
});

const someone = () => ({ candidate: { external_id: randomUUID() } });
const unknownCandidate = { candidate_id: randomUUID() };
const wrongShape = { metadata: [] };
const long = { question_label: '2', text: 'x' };
const noSuchQuestion = { answers: [long, { question_label: '9', text: 'x' }] };
const noSuchOption = { answers: [long, { question_label: '1', option_labels: ['Z'] }] };
const hindi = { answers: [{ question_label: '2', text: 'हिन्दी' }] };
const copy = (which: keyof typeof uploads) => ({ upload_id: uploads[which] });
const copyOfBroke = (which: keyof typeof uploadsOfBroke) => ({ upload_id: uploadsOfBroke[which] });
const withSubmission = () => ({ candidate_id: candidates.withSubmission });
const replacingFinal = () => ({ candidate_id: candidates.withFinalized, replace: true });

type Row = [first: string, second: string, code: ErrorCode, call: () => Call, problem?: string];

const door: Row[] = [
  ['the key', 'product', 'invalid_api_key', by('disabledRevoked', 'typed', {})],
  ['product', 'scope', 'product_not_enabled', by('disabledReadOnly', 'typed', {})],
  ['product', 'media type', 'product_not_enabled', by('disabled', 'typed', '{', 'text/plain')],
  ['scope', 'media type', 'insufficient_scope', by('readOnly', 'typed', '{', 'text/plain')],
  ['scope', 'JSON', 'insufficient_scope', by('readOnly', 'typed', '{')],
  ['scope', 'existence', 'insufficient_scope', by('readOnly', 'unknown', {})],
  ['media type', 'JSON', 'unsupported_media_type', by('rich', 'typed', '{', 'text/plain')],
  ['media type', 'existence', 'unsupported_media_type', by('rich', 'unknown', '{}', 'text/plain')],
  ['JSON', 'existence', 'malformed_json', by('rich', 'unknown', '{')],
  ['JSON', 'state', 'malformed_json', by('rich', 'draft', '{')],
];

const ofTheExam: Row[] = [
  ['existence', 'state', 'exam_not_found', on('deleted', () => ({ ...someone(), answers: [] }))],
  ['existence', 'validation', 'exam_not_found', on('unknown', () => wrongShape)],
  ['state', 'validation', 'exam_not_open', on('draft', () => wrongShape)],
  ['state', 'mode', 'exam_not_open', on('draft', () => ({ ...someone(), ...copy('ready') }))],
  ['state', 'candidate', 'exam_not_open', on('draft', () => ({ ...unknownCandidate, answers: [] }))],
  ['state', 'answers', 'exam_not_open', on('draft', () => ({ ...someone(), ...noSuchQuestion }))],
];

const ofTheBody: Row[] = [
  [
    'its shape',
    'mode',
    'validation_failed',
    on('typed', () => ({ ...someone(), ...wrongShape, ...copy('ready') })),
    'metadata: invalid_type',
  ],
  [
    'a reserved field',
    'mode',
    'feature_not_available',
    on('typed', () => ({ ...someone(), images: ['x'], ...copy('ready') })),
  ],
  ['mode', 'a missing candidate', 'mode_mismatch', on('typed', () => copy('ready'))],
  [
    'mode',
    'an unknown candidate',
    'mode_mismatch',
    on('typed', () => ({ ...unknownCandidate, ...copy('used') })),
  ],
  ['mode', 'a submission', 'mode_mismatch', on('written', () => ({ ...withSubmission(), answers: [] }))],
  [
    'two candidates',
    'an unknown one',
    'validation_failed',
    on('typed', () => ({ ...someone(), ...unknownCandidate, answers: [] })),
    'candidate: not_allowed',
  ],
  [
    'what is missing',
    'an unknown candidate',
    'validation_failed',
    on('written', () => unknownCandidate),
    'upload_id: required',
  ],
];

const refusals: [why: string, exam: 'typed' | 'written', body: () => object][] = [
  ['an unknown upload', 'written', () => copy('unknown')],
  ['a used upload', 'written', () => copy('used')],
  ['a pending upload', 'written', () => copy('pending')],
  ['a rejected upload', 'written', () => copy('rejected')],
  ['too many pages', 'written', () => copy('tooLong')],
  ['an unknown question', 'typed', () => noSuchQuestion],
  ['an unknown option', 'typed', () => noSuchOption],
  ['an answer in Hindi', 'typed', () => hindi],
];
const ofTheCandidate = refusals.flatMap(([why, exam, body]): Row[] => [
  ['an unknown candidate', why, 'candidate_not_found', on(exam, () => ({ ...unknownCandidate, ...body() }))],
  ['a submission', why, 'submission_exists', on(exam, () => ({ ...withSubmission(), ...body() }))],
  ['a final submission', why, 'submission_finalized', on(exam, () => ({ ...replacingFinal(), ...body() }))],
]);

const ofTheAccount: Row[] = [
  [
    'too many pages',
    'credits',
    'too_many_pages',
    onBroke('written', () => ({ ...someone(), ...copyOfBroke('tooLong') })),
  ],
  [
    'a question',
    'credits',
    'validation_failed',
    onBroke('typed', () => ({ ...someone(), ...noSuchQuestion })),
  ],
  [
    'an option',
    'credits',
    'unknown_option_label',
    onBroke('typed', () => ({ ...someone(), ...noSuchOption })),
  ],
  ['Hindi', 'credits', 'language_not_supported', onBroke('typed', () => ({ ...someone(), ...hindi }))],
  ['validation', 'the quota', 'validation_failed', onBroke('typed', someone)],
  [
    'credits for answers',
    'the quota',
    'insufficient_credits',
    onBroke('typed', () => ({ ...someone(), answers: [long] })),
  ],
  [
    'credits for pages',
    'the quota',
    'insufficient_credits',
    onBroke('written', () => ({ ...someone(), ...copyOfBroke('ready') })),
  ],
];

describe.each<[string, Row[]]>([
  ['5 at the door', door],
  ['of the exam', ofTheExam],
  ['of the body', ofTheBody],
  ['of the candidate', ofTheCandidate],
  ['of the account', ofTheAccount],
])('%s:', (_chapter, rows) => {
  test.each(rows)('%s comes before %s: %s', async (_first, _second, code, call, problem) => {
    const before = await everything();
    const error = expectError(await post(call()), errors[code].status, code);
    if (problem !== undefined) expect(problemsIn(error)).toEqual([problem]);
    expect(await everything()).toEqual(before);
  });
});

/** Counter-check: each refusal alone really refuses. */
test('each refusal of the table refuses alone, and a request without any changes the tables', async () => {
  const alone: [ErrorCode, () => Call][] = [
    ['product_not_enabled', by('disabled', 'typed', {})],
    ['insufficient_scope', by('readOnly', 'typed', {})],
    ['unsupported_media_type', by('rich', 'typed', '{}', 'text/plain')],
    ['malformed_json', by('rich', 'typed', '{')],
    ['exam_not_found', on('unknown', () => ({ ...someone(), answers: [] }))],
    ['exam_not_open', on('draft', () => ({ ...someone(), answers: [] }))],
    ['mode_mismatch', on('typed', () => ({ ...someone(), ...copy('ready') }))],
    ['validation_failed', on('typed', () => ({ answers: [] }))],
    ['candidate_not_found', on('typed', () => ({ ...unknownCandidate, answers: [] }))],
    ['submission_exists', on('typed', () => ({ ...withSubmission(), answers: [] }))],
    ['submission_finalized', on('typed', () => ({ ...replacingFinal(), answers: [] }))],
    ['not_found', on('written', () => ({ ...someone(), ...copy('unknown') }))],
    ['conflict', on('written', () => ({ ...someone(), ...copy('used') }))],
    ['conflict', on('written', () => ({ ...someone(), ...copy('pending') }))],
    ['validation_failed', on('written', () => ({ ...someone(), ...copy('rejected') }))],
    ['too_many_pages', on('written', () => ({ ...someone(), ...copy('tooLong') }))],
    ['validation_failed', on('typed', () => ({ ...someone(), ...noSuchQuestion }))],
    ['unknown_option_label', on('typed', () => ({ ...someone(), ...noSuchOption }))],
    ['language_not_supported', on('typed', () => ({ ...someone(), ...hindi }))],
    ['daily_quota_exceeded', onBroke('typed', () => ({ ...someone(), answers: [] }))],
  ];
  const before = await everything();
  for (const [code, call] of alone) expectError(await post(call()), errors[code].status, code);
  expect(await everything()).toEqual(before);
  expect((await post(on('typed', () => ({ ...someone(), answers: [] }))())).status).toBe(202);
  expect(await everything()).not.toEqual(before);
});
