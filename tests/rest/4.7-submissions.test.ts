import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Exam, Submission } from '@evaluation/rest-contract/schemas';
import { apiClient, createExam, resultOf, submit, uploadCopy, type ErrorBody } from '../harness/api.ts';
import { handwrittenExam, longAnswer, mcq, numeric, oneWord, trueFalse, typedExam } from '../harness/papers.ts';
import { plainPdf } from '../harness/pdfs.ts';
import { expectRefused, newTenant, problemsIn, startIdleService, type Tenant } from '../harness/tenant.ts';
import type { TestService } from '../harness/service.ts';

let service: TestService;
let tenant: Tenant;
let exam: Exam;
beforeAll(async () => {
  service = await startIdleService();
  tenant = await newTenant(service);
  exam = await createExam(
    tenant.api,
    typedExam([
      mcq('1', { negative_marks: 0.25 }),
      mcq('2', { type: 'mcq_multi', max_marks: 2, correct_options: ['A', 'C'], negative_marks: 0.5 }),
      trueFalse('3'),
      numeric('4', { answer: [24, '1e3'], negative_marks: 0.33 }),
      oneWord('5'),
      longAnswer('6'),
      longAnswer('7(a)'),
    ]),
  );
});
afterAll(() => service.close());

const someone = () => ({ candidate: { external_id: randomUUID() } });
const refused = (body: object, status: number, code: string, of: { id: string } = exam) =>
  expectRefused(tenant, () => tenant.api.post(`/exams/${of.id}/submissions`, body), status, code);
const refusedAnswers = (answers: unknown, code = 'validation_failed') =>
  refused({ ...someone(), answers }, 422, code);
const submitted = (answers: object[], more: object = {}): Promise<Submission> =>
  submit(tenant.api, exam.id, { ...someone(), answers, ...more });

describe('4.7 rules 1 to 3', () => {
  test('4.7 rule 1: an exam that is a draft answers exam_not_open, whatever the body', async () => {
    const { body: draft } = await tenant.api.post<Exam>('/exams', typedExam([mcq('1')]));
    await refused({ ...someone(), answers: [] }, 409, 'exam_not_open', draft);
    await refused({ nonsense: true }, 409, 'exam_not_open', draft);
  });

  test.each([randomUUID(), 'no-uuid'])('4.7 an exam that does not exist (%s) answers exam_not_found, whatever the body', async (id) => {
    await refused({ nonsense: true }, 404, 'exam_not_found', { id });
  });

  test('4.7 rule 2: the body of the other mode answers mode_mismatch', async () => {
    const paper = await createExam(tenant.api, handwrittenExam());
    const upload_id = await uploadCopy(tenant.api, plainPdf(1));
    await refused({ ...someone(), upload_id }, 422, 'mode_mismatch');
    await refused({ ...someone(), answers: [], upload_id }, 422, 'mode_mismatch');
    await refused({ ...someone(), answers: [] }, 422, 'mode_mismatch', paper);
    await refused({ ...someone(), answers: [], upload_id }, 422, 'mode_mismatch', paper);
    await submit(tenant.api, paper.id, { ...someone(), upload_id });
  });

  test('4.7 rule 2: neither of them is a field that is missing', async () => {
    const paper = await createExam(tenant.api, handwrittenExam());
    expect(problemsIn(await refused(someone(), 422, 'validation_failed'))).toEqual(['answers: required']);
    expect(problemsIn(await refused(someone(), 422, 'validation_failed', paper))).toEqual(['upload_id: required']);
  });

  test('4.7 rule 3: a second submission of a candidate answers submission_exists with the id of the first', async () => {
    const who = someone();
    const first = await submit(tenant.api, exam.id, { ...who, answers: [] });
    for (const body of [
      { ...who, answers: [] },
      { candidate_id: first.candidate.id, answers: [] },
      { ...who, answers: [{ question_label: 'none' }] },
    ]) {
      const error = await refused(body, 409, 'submission_exists');
      expect(error.details).toEqual({ submission_id: first.id });
    }
    const other = await createExam(tenant.api, typedExam([mcq('1')]));
    await submit(tenant.api, other.id, { ...who, answers: [] });
  });

  test('4.7 rule 3: a handwritten submission sent twice learns of the first, not that its upload is used', async () => {
    const paper = await createExam(tenant.api, handwrittenExam());
    const body = { ...someone(), upload_id: await uploadCopy(tenant.api, plainPdf(1)) };
    const first = await submit(tenant.api, paper.id, body);
    const error = await refused(body, 409, 'submission_exists', paper);
    expect(error.details).toEqual({ submission_id: first.id });
  });
});

describe('2.6 who submits, and what goes with it', () => {
  test('2.6 candidate or candidate_id, exactly one', async () => {
    const neither = await refused({ answers: [] }, 422, 'validation_failed');
    expect(problemsIn(neither)).toEqual(['candidate: required']);
    const both = await refused({ ...someone(), candidate_id: randomUUID(), answers: [] }, 422, 'validation_failed');
    expect(problemsIn(both)).toEqual(['candidate: not_allowed']);
  });

  test.each([randomUUID(), 'no-uuid', ''])('2.6 a candidate_id that does not exist (%s) answers candidate_not_found', async (candidate_id) => {
    await refused({ candidate_id, answers: [] }, 404, 'candidate_not_found');
  });

  test('2.6 metadata comes back as it was sent, null where none was', async () => {
    const metadata = { z: 1, a: [null, 1.5, 'é', { deep: true }], '': '' };
    const submission = await submitted([], { metadata });
    expect(submission.metadata).toEqual(metadata);
    expect((await tenant.api.get<Submission>(`/submissions/${submission.id}`)).body.metadata).toEqual(metadata);
    expect((await submitted([])).metadata).toBeNull();
    const error = await refused({ ...someone(), answers: [], metadata: { k: 'x'.repeat(2041) } }, 422, 'validation_failed');
    expect(problemsIn(error)).toEqual(['metadata: too_long']);
  });

  test('2.6 images are reserved', async () => {
    await refused({ ...someone(), answers: [], images: [] }, 422, 'feature_not_available');
    await refused({ ...someone(), answers: [], images: ['x'] }, 422, 'feature_not_available');
    expect((await submitted([], { images: null })).state).toBe('live');
  });
});

describe('4.7 rule 5: typed answers', () => {
  test('4.7 rule 5: every problem is listed at once, each at its field', async () => {
    const error = await refusedAnswers([
      { question_label: '1', text: 'B' },
      { question_label: '2', option_labels: ['A', 'A'] },
      { question_label: '4', option_labels: ['24'] },
      { question_label: '9', text: 'x' },
      { question_id: randomUUID(), text: 'x' },
      { question_label: '6', text: 'once' },
      { question_id: exam.questions[5]?.id, text: 'twice' },
      { text: 'to nothing' },
      { question_label: '3', question_id: exam.questions[2]?.id },
      { question_label: '7(a)', text: 'x'.repeat(20_001) },
      { question_label: '5', text: 'x'.repeat(256) },
    ]);
    expect(problemsIn(error)).toEqual([
      'answers[0].text: not_allowed',
      'answers[1].option_labels[1]: duplicate',
      'answers[2].option_labels: not_allowed',
      'answers[3].question_label: unknown_question',
      'answers[4].question_id: unknown_question',
      'answers[6]: duplicate',
      'answers[7]: invalid_value',
      'answers[8]: invalid_value',
      'answers[9].text: too_long',
      'answers[10].text: too_long',
    ]);
  });

  test('4.7 rule 5: an option label that the question lacks answers unknown_option_label; labels match exactly', async () => {
    const error = await refusedAnswers(
      [
        { question_label: '1', option_labels: ['b'] },
        { question_label: '3', option_labels: ['T', 'X'] },
      ],
      'unknown_option_label',
    );
    expect(problemsIn(error)).toEqual([
      'answers[0].option_labels[0]: unknown_option_label',
      'answers[1].option_labels[1]: unknown_option_label',
    ]);
    const mixed = await refusedAnswers([
      { question_label: '1', option_labels: ['Z'] },
      { question_label: '9' },
    ]);
    expect(problemsIn(mixed)).toEqual([
      'answers[0].option_labels[0]: unknown_option_label',
      'answers[1].question_label: unknown_question',
    ]);
  });

  test.each([
    ['of letters only', `${'क'.repeat(21)}${'a'.repeat(79)}`],
    ['of letters, digits and signs not counting', `${'क'.repeat(3)}aaaaaaaaa 123456789 +-*/ .,;:`],
    ['altogether', 'यह उत्तर हिन्दी में है'],
  ])('4.7 rule 5: more than 20%% Devanagari %s answers language_not_supported with the label', async (_name, text) => {
    const error = await refusedAnswers(
      [
        { question_label: '6', text: 'An English answer.' },
        { question_label: '7(A)', text },
      ],
      'language_not_supported',
    );
    expect(error.details?.['question_label']).toBe('7(a)');
  });

  test.each([
    ['exactly 20% Devanagari', `${'क'.repeat(20)}${'a'.repeat(80)}`],
    ['a quotation in Devanagari', 'The word धर्म means duty, law and much more than one English word can say.'],
    ['no letters', '1 + 1 = 2'],
    ['20,000 characters, emoji counting as one', '😀'.repeat(20_000)],
  ])('4.7 rule 5: %s is taken', async (_name, text) => {
    expect((await submitted([{ question_label: '6', text }])).quote.credits).toBe(1);
  });

  test('2.6 a question is named by id or by label, ignoring case', async () => {
    const submission = await submitted([
      { question_label: '7(A)', text: 'by label' },
      { question_id: exam.questions[5]?.id.toUpperCase(), text: 'by id' },
    ]);
    expect(submission.quote).toEqual({ unit: 'answer', credits: 2, rate_source: 'standard' });
  });

  test('4.7 rule 5: blank and omitted answers are not answered: no marks, no AI, no credits', async () => {
    const before = await tenant.credits();
    const submission = await submitted([
      { question_label: '1', option_labels: [] },
      { question_label: '2', option_labels: null },
      { question_label: '4', text: ' ' },
      { question_label: '5', text: '' },
      { question_label: '6', text: ' \n\t\u00a0' },
      { question_label: '7(a)', text: null },
    ]);
    expect(submission).toMatchObject({ status: 'graded', credits_charged: 0, quote: { credits: 0 } });
    expect(await tenant.credits()).toEqual(before);
    const result = await resultOf(tenant.api, submission.id);
    expect(result.questions.map(({ status, awarded, source }) => [status, awarded, source])).toEqual(
      result.questions.map(() => ['not_answered', 0, null]),
    );
    expect(result.totals).toEqual({ awarded: 0, max: 10, percentage: 0, questions_graded: 0, questions_failed: 0 });
  });
});

describe('4.7 rule 6: objective answers', () => {
  test('4.7 rule 6, 3.2: a submission of objective answers is graded at once, free of charge', async () => {
    const submission = await submitted([
      { question_label: '1', option_labels: ['B'] },
      { question_label: '2', option_labels: ['C', 'A'] },
      { question_label: '3', option_labels: ['F'] },
      { question_label: '4', text: ' 1000.0 ' },
      { question_label: '5', text: ' INSULIN\n' },
    ]);
    expect(submission).toMatchObject({
      state: 'live',
      status: 'graded',
      lane: 'typed',
      pages: null,
      needs_review: false,
      review_reasons: [],
      finalized: false,
      finalized_at: null,
      progress: null,
      queue: null,
      attempt_count: 1,
      credits_charged: 0,
      error: null,
      metadata: null,
      quote: { unit: 'answer', credits: 0, rate_source: 'standard' },
      warnings: [],
    });
    const result = await resultOf(tenant.api, submission.id);
    expect(result).toMatchObject({ submission_id: submission.id, exam_id: exam.id, credits_charged: 0, error: null });
    expect(result.checked_copy).toEqual({ available: false, download_path: null });
    expect(result.questions.map(({ label, awarded, source }) => [label, awarded, source])).toEqual([
      ['1', 1, 'auto'],
      ['2', 2, 'auto'],
      ['3', 0, 'auto'],
      ['4', 1, 'auto'],
      ['5', 1, 'auto'],
      ['6', 0, null],
      ['7(a)', 0, null],
    ]);
    expect(result.totals).toEqual({ awarded: 5, max: 10, percentage: 50, questions_graded: 5, questions_failed: 0 });
    expect(result.questions[4]?.extracted_answer?.trim()).toBe('INSULIN');
  });

  test('2.2 wrong answers cost their negative marks, exactly, and totals go below 0', async () => {
    const submission = await submitted([
      { question_label: '1', option_labels: ['A', 'B'] },
      { question_label: '2', option_labels: ['A'] },
      { question_label: '3', option_labels: ['F'] },
      { question_label: '4', text: '24.0001' },
    ]);
    const result = await resultOf(tenant.api, submission.id);
    expect(result.questions.slice(0, 4).map(({ awarded }) => awarded)).toEqual([-0.25, -0.5, 0, -0.33]);
    expect(result.totals).toMatchObject({ awarded: -1.08, percentage: -10.8 });
  });
});

describe('4.7 rule 7: credits', () => {
  const long = [
    { question_label: '1', text: 'one' },
    { question_label: '2', text: 'two' },
    { question_label: '3', text: 'three' },
  ];
  const threeLong = (of: Tenant) =>
    createExam(of.api, typedExam([longAnswer('1'), longAnswer('2'), longAnswer('3')]));

  test('4.7 rule 7: too few credits answer insufficient_credits with the figures, and nothing is queued', async () => {
    const poor = await newTenant(service, { credits: 4 });
    const paper = await threeLong(poor);
    const path = `/exams/${paper.id}/submissions`;
    await submit(poor.api, paper.id, { ...someone(), answers: long.slice(1) });
    const who = someone();
    const error = await expectRefused(
      poor,
      () => poor.api.post(path, { ...who, answers: long }),
      402,
      'insufficient_credits',
    );
    expect(error.details).toEqual({ required: 3, available: 2, balance: 4, credit_limit: 0, committed: 2 });
    await submit(poor.api, paper.id, { ...who, answers: long.slice(1) });
    expect(await poor.credits()).toEqual({ balance: 4, credit_limit: 0, committed: 4 });
    const free = await submit(poor.api, paper.id, { ...someone(), answers: [] });
    expect(free).toMatchObject({ status: 'graded', credits_charged: 0 });
  });

  test('8.4 a credit limit is usable, and a contract price is the one that counts', async () => {
    const provision = service.control.as({}).control;
    const { institute_id } = await provision.createInstitute.mutate({
      name: 'Contract',
      credits: 1,
      credit_limit: 1,
      credits_per_answer: 0.65,
    });
    const { api_key } = await provision.createKey.mutate({ institute_id });
    const api = apiClient(service.baseUrl, api_key);
    const paper = await createExam(api, typedExam([longAnswer('1'), longAnswer('2'), longAnswer('3')]));
    const submission = await submit(api, paper.id, { ...someone(), answers: long });
    expect(submission.quote).toEqual({ unit: 'answer', credits: 1.95, rate_source: 'contract' });
    const refusal = await api.post(`/exams/${paper.id}/submissions`, { ...someone(), answers: long.slice(2) });
    expect(refusal.body.error).toMatchObject({
      code: 'insufficient_credits',
      details: { required: 0.65, available: 0.05, balance: 1, credit_limit: 1, committed: 1.95 },
    });
  });
});

describe('8.3 the daily quota', () => {
  const paperOf = (of: Tenant) => createExam(of.api, typedExam([mcq('1'), longAnswer('2')]));
  const post = (of: Tenant, paper: Exam, answers: object[] = []) =>
    of.api.post(`/exams/${paper.id}/submissions`, { ...someone(), answers });

  test('8.3 beyond the quota: daily_quota_exceeded with quota, limit, reset and Retry-After', async () => {
    const of = await newTenant(service, { dailyCopyQuota: 2 });
    const paper = await paperOf(of);
    await submit(of.api, paper.id, { ...someone(), answers: [] });
    await expectRefused(of, () => post(of, paper, [{ question_label: 'none' }]), 422, 'validation_failed');
    await submit(of.api, paper.id, { ...someone(), answers: [{ question_label: '2', text: 'x' }] });
    let retryAfter = 0;
    const error = await expectRefused(
      of,
      async () => {
        const answer = await post(of, paper);
        retryAfter = Number(answer.headers.get('retry-after'));
        return answer;
      },
      429,
      'daily_quota_exceeded',
    );
    const resets = Date.parse(String(error.details?.['resets_at']));
    expect(error.details).toEqual({
      quota: 'daily_copy_quota',
      limit: 2,
      resets_at: expect.stringMatching(/T00:00:00(\.000)?Z$/),
    });
    expect(Math.abs(retryAfter - (resets - Date.now()) / 1000)).toBeLessThan(30);
  });

  test('8.3 a key’s own cap holds for that key, and the institute’s other keys go on', async () => {
    const of = await newTenant(service);
    const paper = await paperOf(of);
    const { api_key } = await service.control.as({}).control.createKey.mutate({
      institute_id: of.instituteId,
      daily_copy_cap: 1,
    });
    const capped = { ...of, api: apiClient(service.baseUrl, api_key) };
    await submit(of.api, paper.id, { ...someone(), answers: [] });
    await submit(capped.api, paper.id, { ...someone(), answers: [] });
    const error = await expectRefused(capped, () => post(capped, paper), 429, 'daily_quota_exceeded');
    expect(error.details).toMatchObject({ quota: 'daily_copy_cap', limit: 1 });
    await submit(of.api, paper.id, { ...someone(), answers: [] });
  });

  test('7 a request that neither credits nor quota allow answers 402, not 429', async () => {
    const of = await newTenant(service, { credits: 0, dailyCopyQuota: 0 });
    const paper = await paperOf(of);
    const long = [{ question_label: '2', text: 'x' }];
    await expectRefused(of, () => post(of, paper, long), 402, 'insufficient_credits');
    await expectRefused(of, () => post(of, paper), 429, 'daily_quota_exceeded');
  });

  test('8.3 refused requests of every kind count nothing', async () => {
    const of = await newTenant(service, { credits: 1, dailyCopyQuota: 1 });
    const paper = await paperOf(of);
    const refusals: [object, number, string][] = [
      [{ answers: [] }, 422, 'validation_failed'],
      [{ ...someone(), upload_id: randomUUID() }, 422, 'mode_mismatch'],
      [{ candidate_id: randomUUID(), answers: [] }, 404, 'candidate_not_found'],
    ];
    for (const [body, status, code] of refusals) {
      await expectRefused(of, () => of.api.post(`/exams/${paper.id}/submissions`, body), status, code);
    }
    await submit(of.api, paper.id, { ...someone(), answers: [{ question_label: '2', text: 'x' }] });
  });
});

describe('4.7 rule 8: the queue', () => {
  test('4.7 rule 8: positions count the institute’s own submissions ahead in the same lane', async () => {
    const of = await newTenant(service);
    const typed = await createExam(of.api, typedExam([longAnswer('1'), mcq('2')]));
    const written = await createExam(of.api, handwrittenExam());
    const answers = [{ question_label: '1', text: 'x' }];
    const inTyped: Submission[] = [];
    for (let index = 0; index < 3; index += 1) {
      inTyped.push(await submit(of.api, typed.id, { ...someone(), answers }));
    }
    const upload_id = await uploadCopy(of.api, plainPdf(1));
    const inCopy = await submit(of.api, written.id, { ...someone(), upload_id });
    expect(inTyped.map(({ queue }) => queue?.position)).toEqual([0, 1, 2]);
    expect(inCopy).toMatchObject({ lane: 'copy', queue: { position: 0 } });
    expect(inTyped[0]).toMatchObject({
      status: 'queued',
      credits_charged: null,
      rubric_version: null,
      progress: { questions_done: 0, questions_total: 1 },
    });
    expect(inTyped[0]?.progress).not.toHaveProperty('estimated_ready_at');

    for (const [index, { id, updated_at }] of inTyped.entries()) {
      const now = Date.now();
      const { body } = await of.api.get<Submission>(`/submissions/${id}`);
      expect(body.queue?.position).toBe(index);
      expect(Date.parse(body.queue?.estimated_ready_at ?? '')).toBeGreaterThanOrEqual(now + 30_000);
      expect(body.updated_at).toBe(updated_at);
    }
    const stranger = await newTenant(service);
    const paper = await createExam(stranger.api, typedExam([longAnswer('1')]));
    expect((await submit(stranger.api, paper.id, { ...someone(), answers })).queue?.position).toBe(0);
  });

  test('2.7 the result of a submission that waits has its objective marks, the rest is pending', async () => {
    const submission = await submitted([
      { question_label: '1', option_labels: ['B'] },
      { question_label: '6', text: 'Because.' },
    ]);
    const result = await resultOf(tenant.api, submission.id, '?include=model_answer,annotations');
    expect(result).toMatchObject({ status: 'queued', graded_at: null, credits_charged: null });
    expect(result.questions.map(({ status }) => status)).toEqual([
      'graded',
      'not_answered',
      'not_answered',
      'not_answered',
      'not_answered',
      'pending',
      'not_answered',
    ]);
    expect(result.questions[5]).toMatchObject({ awarded: null, source: null, annotations: [] });
    expect(result.questions[5]?.model_answer).toBe('Because of this, and because of that.');
    const refusal = await tenant.api.get<ErrorBody>(`/submissions/${submission.id}/checked-copy`);
    expect({ status: refusal.status, code: refusal.body.error.code }).toEqual({ status: 404, code: 'not_found' });
  });

  test('4.7 include adds and leaves out what it names, and refuses what it does not know', async () => {
    const { id } = await submitted([{ question_label: '1', option_labels: ['B'] }]);
    const plain = (await resultOf(tenant.api, id)).questions[0];
    expect(plain).toMatchObject({ extracted_answer: 'B' });
    expect(plain).not.toHaveProperty('annotations');
    expect(plain).not.toHaveProperty('model_answer');
    const bare = (await resultOf(tenant.api, id, '?include=-extracted_answer,annotations')).questions[0];
    expect(bare).not.toHaveProperty('extracted_answer');
    expect(bare).toMatchObject({ annotations: [] });
    const error = await expectRefused(
      tenant,
      () => tenant.api.get(`/submissions/${id}/result?include=everything`),
      422,
      'validation_failed',
    );
    expect(problemsIn(error)).toEqual(['include: invalid_value']);
  });
});
