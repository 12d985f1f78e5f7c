import { readBundle, replay } from '@evaluation/grader/evidence';
import { startModelServer, type ModelServer } from '@evaluation/test-services';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Exam, QuestionInput, Result, RubricList, Submission } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit, untilOver, uploadCopy } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { plainPdf } from '../../harness/pdfs.ts';
import { startService, type TestService } from '../../harness/service.ts';
import { evidenceOf } from '../../harness/replayOf.ts';
import { newTenant, type Tenant } from '../../harness/tenant.ts';
import { startModelGate, type ModelGate } from '../../resilience/modelGate.ts';

/*
 * Generated rubrics (docs/api/rubrics.md#rules), as a client sees them. The gate holds the model's answers back to give
 * the test time. Internal states, also with dead workers, are tested in core's runs/generateRubric.test.ts.
 */

let model: ModelServer;
let gate: ModelGate;
let service: TestService;
beforeAll(async () => {
  model = await startModelServer();
  gate = await startModelGate(model.baseUrl);
  service = await startService({
    GRADER: 'openai',
    OPENAI_BASE_URL: gate.baseUrl,
    OPENAI_API_KEY: 'sk-not-a-real-key',
    GRADER_MODEL: 'm',
  });
});
beforeEach(() => model.reset());
afterAll(async () => {
  await service.close();
  await gate.close();
  await model.close();
});

const bare = (label: string, change: Partial<QuestionInput> = {}): QuestionInput =>
  longAnswer(label, { model_answer: null, ...change });

const made = () => model.calls.filter(({ schemaName }) => schemaName === 'make_rubric').length;
const untilItThinks = () =>
  model.waitFor((calls) => calls.some(({ schemaName }) => schemaName === 'make_rubric'));

/** Twice as many runs as a worker grades at once. */
const CLASS = 16;

const GENERATED = [
  { name: 'Claim', marks: 1 },
  { name: 'Reason', marks: 1 },
];

interface RubricExam {
  tenant: Tenant;
  exam: Exam;
  path: string;
  rubrics(): Promise<RubricList>;
  submit(candidate: string, labels?: string[]): Promise<Submission>;
  graded(submission: Submission): Promise<Result>;
}

const newRubricExam = async (questions: QuestionInput[]): Promise<RubricExam> => {
  const tenant = await newTenant(service);
  const exam = await createExam(tenant.api, typedExam(questions));
  const path = `/exams/${exam.id}`;
  return {
    tenant,
    exam,
    path,
    rubrics: async () => (await tenant.api.get<RubricList>(`${path}/rubrics`)).body,
    submit: (
      candidate,
      labels = questions.filter(({ type }) => type === 'long_answer').map(({ label }) => label),
    ) =>
      submit(tenant.api, exam.id, {
        candidate: { external_id: candidate },
        answers: labels.map((label) => ({ question_label: label, text: `What ${candidate} says of it.` })),
      }),
    graded: async ({ id }) => {
      const over = await untilOver(tenant.api, id);
      expect(over).toMatchObject({ status: 'graded', error: null });
      return resultOf(tenant.api, id);
    },
  };
};

const criteriaOf = (result: Result, label: string) =>
  result.questions
    .find((question) => question.label === label)
    ?.criteria.map(({ name, max }) => ({ name, marks: max }));
const reasonsOf = (result: Result, label: string) =>
  result.questions.find((question) => question.label === label)?.review_reasons;

describe('a long answer with neither rubric nor model answer', () => {
  test('gets one rubric for many simultaneous submissions, shown as generated, with no new version', async () => {
    const {
      tenant,
      exam,
      path,
      rubrics,
      submit: submitTo,
      graded,
    } = await newRubricExam([
      mcq('1'),
      bare('2'),
      bare('3', { model_answer: '  ' }),
      longAnswer('4'),
      bare('5'),
    ]);
    expect(exam.warnings.map(({ code }) => code)).toEqual(['auto_rubric', 'auto_rubric', 'auto_rubric']);
    const before = await rubrics();
    const shown = (await tenant.api.get<Exam>(path)).body;

    const candidates = Array.from({ length: CLASS }, (_, index) => `C${index}`);
    const submissions = await Promise.all(
      candidates.map((candidate) => submitTo(candidate, ['2', '3', '4'])),
    );
    const results: Result[] = [];
    for (const submission of submissions) results.push(await graded(submission));
    expect(made(), 'one rubric per answered question').toBe(2);
    for (const result of results) {
      expect(criteriaOf(result, '2')).toEqual(GENERATED);
      expect(criteriaOf(result, '3')).toEqual(GENERATED);
      expect(criteriaOf(result, '4')).toEqual([{ name: expect.any(String), marks: 2 }]);
      expect(reasonsOf(result, '2')).not.toContain('no_rubric');
      expect(result.rubric_version).toBe(before.version);
    }

    const after = await rubrics();
    expect(after.version).toBe(before.version);
    expect(
      after.questions.map(({ label, source, rubric }) => [label, source, rubric?.criteria.length]),
    ).toEqual([
      ['2', 'generated', 2],
      ['3', 'generated', 2],
      ['4', undefined, undefined],
      ['5', undefined, undefined],
    ]);
    const now = (await tenant.api.get<Exam>(path)).body;
    expect({ ...now, quote: null, updated_at: null }, 'the exam shows what the client set').toEqual({
      ...shown,
      status: now.status,
      quote: null,
      updated_at: null,
    });

    const [first] = submissions;
    if (first === undefined) throw new Error('nothing was submitted');
    await tenant.api.post(`/submissions/${first.id}/re-evaluate`);
    expect(criteriaOf(await graded(first), '2'), 'a re-evaluation goes by it too').toEqual(GENERATED);
    expect(made()).toBe(2);

    const edit = { questions: { [exam.questions[1]?.id ?? '']: { model_answer: 'Because of that.' } } };
    const patched = await tenant.api.patch(`${path}/rubrics`, edit, { 'if-match': String(before.version) });
    expect(patched.status, 'the client’s If-Match is still good').toBe(200);
    expect((await rubrics()).questions[0]).toMatchObject({ rubric: null, model_answer: 'Because of that.' });
  });

  test('is marked by the rubric of its text: an edit during generation discards it, and the next copy makes one', async () => {
    const { tenant, exam, path, rubrics, submit: submitTo, graded } = await newRubricExam([bare('1')]);
    model.know({ rubrics: { 1: [{ name: 'Of the first text', marks: 2 }] } });
    gate.hold();
    const first = await submitTo('C1');
    await untilItThinks();
    const edited = await tenant.api.patch(`${path}/questions/${exam.questions[0]?.id}`, {
      text: 'Explain the sea.',
    });
    expect(edited.status).toBe(200);
    gate.release();
    expect(criteriaOf(await graded(first), '1')).toEqual([{ name: 'Of the first text', marks: 2 }]);
    expect(await rubrics()).toMatchObject({ version: 0, questions: [{ rubric: null }] });

    model.know({ rubrics: { 1: [{ name: 'Of the second', marks: 2 }] } });
    expect(criteriaOf(await graded(await submitTo('C2')), '1')).toEqual([
      { name: 'Of the second', marks: 2 },
    ]);
    expect(made()).toBe(2);
    expect(
      JSON.stringify(model.calls.findLast(({ schemaName }) => schemaName === 'make_rubric')?.body),
    ).toContain('Explain the sea.');
    expect(await rubrics()).toMatchObject({
      version: 0,
      questions: [{ source: 'generated', rubric: { criteria: [{ name: 'Of the second' }] } }],
    });
  });

  test('is marked by the client’s rubric from the moment it is set, also during generation', async () => {
    const { tenant, exam, path, rubrics, submit: submitTo, graded } = await newRubricExam([bare('1')]);
    gate.hold();
    const first = await submitTo('C1');
    await untilItThinks();
    const own = { criteria: [{ name: 'Own', marks: 2 }] };
    const set = await tenant.api.patch(
      `${path}/rubrics`,
      { questions: { [exam.questions[0]?.id ?? '']: { rubric: own } } },
      { 'if-match': '0' },
    );
    expect(set.status).toBe(200);
    gate.release();
    expect(criteriaOf(await graded(first), '1'), 'of the paper as the copy found it').toEqual(GENERATED);
    const listed = await rubrics();
    expect(listed).toMatchObject({ version: 1, questions: [{ rubric: own }] });
    expect(listed.questions[0]).not.toHaveProperty('source');
    expect(criteriaOf(await graded(await submitTo('C2')), '1')).toEqual([{ name: 'Own', marks: 2 }]);
    expect(made()).toBe(1);
  });

  test('can be replayed from evidence, which includes the rubric if the run made it', async () => {
    const { exam, submit: submitTo, graded } = await newRubricExam([bare('1')]);
    for (const [candidate, isMaker] of [
      ['C1', true],
      ['C2', false],
    ] as const) {
      const submission = await submitTo(candidate);
      await graded(submission);
      const checked = readBundle(await evidenceOf(service.environment, submission.id));
      expect(replay(checked).differences).toEqual([]);
      expect(checked.bundle.questions[0]?.rubric?.criteria).toMatchObject(GENERATED);
      expect([...checked.parts.rubrics.keys()]).toEqual(isMaker ? [exam.questions[0]?.id] : []);
      const [run] = await behind<{ prompts: string[] }>(
        service.database,
        `select grader->'prompt_versions' as prompts from runs where submission_id = $1`,
        [submission.id],
      );
      expect(run?.prompts.some((version) => version.startsWith('make_rubric/'))).toBe(isMaker);
    }
  });

  test('is marked without a rubric and flagged if generation fails; the next copy tries again', async () => {
    const { submit: submitTo, graded, rubrics } = await newRubricExam([bare('1')]);
    model.behave([{ schemaName: 'make_rubric', behaviour: { kind: 'violating' } }]);
    gate.hold();
    const submissions = await Promise.all(['C1', 'C2', 'C3'].map((candidate) => submitTo(candidate)));
    await untilItThinks();
    gate.release();
    for (const result of await Promise.all(submissions.map(graded))) {
      expect(criteriaOf(result, '1')).toEqual([{ name: 'Answer', marks: 2 }]);
      expect(reasonsOf(result, '1')).toContain('no_rubric');
      expect(result.needs_review).toBe(true);
    }
    expect(await rubrics()).toMatchObject({ version: 0, questions: [{ rubric: null }] });

    model.reset();
    const next = await graded(await submitTo('C4'));
    expect(criteriaOf(next, '1')).toEqual(GENERATED);
    expect(reasonsOf(next, '1')).not.toContain('no_rubric');
    expect(made()).toBe(1);
  });

  test('gets its rubric by a waiting copy, if the copy that generates it is cancelled', async () => {
    const { tenant, submit: submitTo, graded } = await newRubricExam([bare('1')]);
    gate.hold();
    const first = await submitTo('C1');
    await untilItThinks();
    const second = await submitTo('C2');
    await tenant.api.post(`/submissions/${first.id}/cancel`);
    await model.waitFor(
      (calls) => calls.filter(({ schemaName }) => schemaName === 'make_rubric').length === 2,
    );
    gate.release();
    expect(criteriaOf(await graded(second), '1')).toEqual(GENERATED);
    expect(made()).toBe(2);
    const left = await behind(service.database, 'select * from rubric_generations where institute_id = $1', [
      tenant.instituteId,
    ]);
    expect(left).toEqual([]);
  });

  test('of a handwritten exam gets it with the first copy that answers it', async () => {
    const tenant = await newTenant(service);
    const exam = await createExam(tenant.api, handwrittenExam({ questions: [bare('1'), bare('2')] }));
    model.know({ pagesByNumber: { 1: { blocks: [{ label: 'Q1', text: 'Air scatters blue light.' }] } } });
    const submission = await submit(tenant.api, exam.id, {
      candidate: { external_id: 'C1' },
      upload_id: await uploadCopy(tenant.api, plainPdf(1)),
    });
    await untilOver(tenant.api, submission.id);
    const result = await resultOf(tenant.api, submission.id);
    expect(criteriaOf(result, '1')).toEqual(GENERATED);
    expect(made()).toBe(1);
    const { body } = await tenant.api.get<RubricList>(`/exams/${exam.id}/rubrics`);
    expect(body.questions.map(({ source }) => source)).toEqual(['generated', undefined]);
  });
});
