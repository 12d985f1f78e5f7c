import { randomUUID } from 'node:crypto';
import { MarkedQuestion } from '@evaluation/rules/grading-model';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { json } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { QuestionInput, Rubric } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { TOKEN, TOKEN_SHA256 } from '../../../test/claimToken.ts';
import { usedUp } from '../../../test/usedUp.ts';
import { insertExam } from '../../../test/insertExam.ts';
import { newTestCore } from '../../../test/newTestCore.ts';
import type { HeldRun } from '../../command/locks/heldRun.ts';
import { addQuestions } from '../../exams/questions/addQuestions.ts';
import { editQuestion } from '../../exams/questions/editQuestion.ts';
import { currentPaper } from '../../exams/paper/paper.ts';
import { editRubrics } from '../../exams/rubrics/editRubrics.ts';
import { beginRubric, giveUpRubric, recordRubric } from './generateRubric.ts';
import { listRubrics } from '../../exams/rubrics/listRubrics.ts';
import { withPinnedRubrics } from '../../exams/paper/pinned.ts';

/* Tests the states of a generation, with runs as claims leave them. tests/rest covers the workers' side. */

const { services, close } = await newTestCore();
afterAll(close);
const actor: Actor = { institute_id: randomUUID(), key_id: randomUUID(), scopes: [] };

const TEXT = 'Why is the sky blue?';
const rubricOf = (name: string): Rubric => ({ criteria: [{ name, marks: 2, keywords: ['air'] }] });

/** Makes an open exam with one long answer, and functions to work on it. */
const newExam = async (question: Partial<QuestionInput> = {}) => {
  const { inTenant } = services.database;
  const examId = await insertExam(services.database, actor.institute_id);
  const added = await addQuestions(services, actor, examId, {
    questions: [{ label: '1', type: 'long_answer', text: TEXT, max_marks: 2, ...question }],
  });
  const questionId = added.questions[0]?.id ?? '';
  await inTenant(actor.institute_id, (tx) =>
    tx.updateTable('exams').set({ status: 'open' }).where('id', '=', examId).execute(),
  );

  return {
    questionId,
    /** Makes a run as its claim leaves it, with the present paper pinned. */
    claimed: (): Promise<HeldRun> =>
      inTenant(actor.institute_id, async (tx) => {
        const tenant = { institute_id: actor.institute_id };
        const candidate_id = randomUUID();
        const submission_id = randomUUID();
        const run_id = randomUUID();
        const { rows } = await currentPaper(actor.institute_id, examId).execute(tx);
        const { rubric_version, paper } = rows[0] ?? { rubric_version: 0, paper: null };
        await tx
          .insertInto('candidates')
          .values({ ...tenant, id: candidate_id, external_id: candidate_id })
          .execute();
        await tx
          .insertInto('submissions')
          .values({
            ...tenant,
            id: submission_id,
            exam_id: examId,
            candidate_id,
            status: 'grading',
            lane: 'typed',
            review_reasons: [],
            current_run_id: run_id,
            questions_total: 1,
            quote_unit: 'answer',
            quote_credits: '1',
            quote_rate_source: 'standard',
            warnings: json([]),
          })
          .execute();
        await tx
          .insertInto('runs')
          .values({
            ...tenant,
            id: run_id,
            submission_id,
            lane: 'typed',
            attempt: 1,
            status: 'claimed',
            fence: 1,
            claim_token_sha256: TOKEN_SHA256,
            price: '1',
            rubric_version,
            paper: json(paper),
          })
          .execute();
        return { run_id, ...tenant, fence: 1, token: TOKEN };
      }),
    /** Changes a run as `reclaimRuns` does after an expired lease; the next claim then takes it. */
    dead: (held: HeldRun) => changeRun(held, sql`status = 'queued', fence = fence + 1`),
    claimedAgain: async (held: HeldRun): Promise<HeldRun> => {
      await changeRun(held, sql`status = 'claimed', fence = fence + 1`);
      return { ...held, fence: held.fence + 2 };
    },
    begin: (held: HeldRun, failures: number | null = null) =>
      beginRubric(services, held, { question_id: questionId, failures }),
    record: (held: HeldRun, rubric: Rubric, evidence?: unknown) =>
      recordRubric(services, held, { question_id: questionId, rubric, evidence, used: usedUp(0) }),
    giveUp: (held: HeldRun) => giveUpRubric(services, held, questionId, usedUp(0)),
    pinned: async (held: HeldRun): Promise<Rubric | null | undefined> => {
      const [only] = await inTenant(actor.institute_id, async (tx) =>
        withPinnedRubrics(tx, held, MarkedQuestion.array().parse(await paperOf(held))),
      );
      return only?.rubric;
    },
    list: async () => {
      const { version, questions } = await listRubrics(services, actor, examId);
      return { version, ...questions[0] };
    },
    editText: (text: string) => editQuestion(services, actor, examId, questionId, { text }),
    set: (edit: object) =>
      editRubrics(services, actor, examId, undefined, { questions: { [questionId]: edit } }),
  };
};

const paperOf = async (held: HeldRun): Promise<unknown> => {
  const { paper } = await services.database.inTenant(held.institute_id, (tx) =>
    tx.selectFrom('runs').select('paper').where('id', '=', held.run_id).executeTakeFirstOrThrow(),
  );
  return Reflect.get(Object(paper), 'questions');
};

const changeRun = async (held: HeldRun, change: ReturnType<typeof sql>): Promise<void> => {
  await services.database.inTenant(held.institute_id, (tx) =>
    sql`update runs set ${change} where id = ${held.run_id}`.execute(tx),
  );
};

const refused = async (call: Promise<unknown>): Promise<string> => {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof DomainFailure
    ? error.failure.code
    : error instanceof Error
      ? error.message
      : 'not refused';
};

test('of concurrent runs one generates the rubric, and all are marked by it', async () => {
  const exam = await newExam();
  const runs = await Promise.all(Array.from({ length: 12 }, () => exam.claimed()));
  const begun = await Promise.all(runs.map((run) => exam.begin(run)));
  expect(begun.filter(({ state }) => state === 'yours')).toHaveLength(1);
  expect(begun.filter(({ state }) => state === 'busy')).toHaveLength(11);

  const maker = runs[begun.findIndex(({ state }) => state === 'yours')];
  if (maker === undefined) throw new Error('no run generates the rubric');
  // After a lost answer the run asks again and still holds the place.
  expect(await exam.begin(maker)).toEqual({ state: 'yours' });
  const rubric = rubricOf('Scattering');
  expect(await exam.record(maker, rubric)).toEqual(rubric);
  for (const run of runs) {
    expect(await exam.begin(run, 0)).toEqual({ state: 'made', rubric });
    expect(await exam.pinned(run)).toEqual(rubric);
  }
  expect(await exam.list()).toMatchObject({ version: 0, rubric, model_answer: null, source: 'generated' });
  expect(await exam.pinned(await exam.claimed()), 'of a later copy, from its claim on').toEqual(rubric);
  expect(await exam.record(maker, rubricOf('Another')), 'what is recorded twice').toEqual(rubric);
});

test('a waiting run takes no lock, and the rubric does not change the pinned paper', async () => {
  const exam = await newExam();
  const [maker, waiting] = [await exam.claimed(), await exam.claimed()];
  const papers = [await paperOf(maker), await paperOf(waiting)];
  await exam.begin(maker);
  await exam.begin(waiting);
  await services.database.inTenant(waiting.institute_id, async (tx) => {
    await sql`select from submissions s where id = (select submission_id from runs where id = ${waiting.run_id}) for update`.execute(
      tx,
    );
    await sql`select from runs where id = ${waiting.run_id} for update`.execute(tx);
    await sql`select from rubric_generations where question_id = ${exam.questionId} for update`.execute(tx);
    expect(await exam.begin(waiting, 0)).toEqual({ state: 'busy', failures: 0 });
  });
  await exam.record(maker, rubricOf('Scattering'));
  await exam.begin(waiting, 0);
  expect([await exam.pinned(maker), await exam.pinned(waiting)]).toEqual([
    rubricOf('Scattering'),
    rubricOf('Scattering'),
  ]);
  expect([await paperOf(maker), await paperOf(waiting)]).toEqual(papers);
});

test('the evidence of a rubric is stored with the run that generated it only', async () => {
  const exam = await newExam();
  const [maker, waiting] = [await exam.claimed(), await exam.claimed()];
  await exam.begin(maker);
  await exam.record(maker, rubricOf('Scattering'), { said: 'a rubric' });
  await exam.record(maker, rubricOf('Scattering'), { said: 'again' });
  await exam.begin(waiting);
  expect(await exam.record(waiting, rubricOf('Other'), { said: 'late' })).toEqual(rubricOf('Scattering'));
  const parts = await services.database.inTenant(actor.institute_id, (tx) =>
    tx
      .selectFrom('evidence_parts')
      .select(['run_id', 'kind', 'ref', 'size_bytes'])
      .where('ref', '=', exam.questionId)
      .execute(),
  );
  const [size_bytes, ref] = [JSON.stringify({ said: 'a rubric' }).length, exam.questionId];
  expect(parts).toEqual([{ run_id: maker.run_id, kind: 'rubric', ref, size_bytes }]);
});

test('another run takes over from a dead worker, whose later record is refused', async () => {
  const exam = await newExam();
  const [first, second] = [await exam.claimed(), await exam.claimed()];
  expect(await exam.begin(first)).toEqual({ state: 'yours' });
  expect(await exam.begin(second)).toEqual({ state: 'busy', failures: 0 });
  await exam.dead(first);
  expect(await exam.begin(second, 0)).toEqual({ state: 'yours' });
  expect(await refused(exam.record(first, rubricOf('Stale')))).toBe('conflict');
  expect(await refused(exam.giveUp(first))).toBe('conflict');
  expect(await refused(exam.begin(first))).toBe('conflict');
  const again = await exam.claimedAgain(first);
  expect(await exam.begin(again)).toEqual({ state: 'busy', failures: 0 });
  expect(await refused(exam.record(again, rubricOf('Not asked')))).toContain(
    'without holding its generation',
  );
  await exam.record(second, rubricOf('Scattering'));
  expect(await exam.begin(again, 0)).toMatchObject({ state: 'made', rubric: rubricOf('Scattering') });
});

test('a redelivered run continues to generate its rubric', async () => {
  const exam = await newExam();
  const run = await exam.claimed();
  await exam.begin(run);
  await exam.dead(run);
  const again = await exam.claimedAgain(run);
  expect(await exam.begin(again)).toEqual({ state: 'yours' });
  await exam.record(again, rubricOf('Scattering'));
  expect(await exam.pinned(again)).toEqual(rubricOf('Scattering'));
});

test('a generated rubric applies to its text only and makes no new version', async () => {
  const exam = await newExam();
  const [before, waiting] = [await exam.claimed(), await exam.claimed()];
  await exam.begin(before);
  await exam.editText('Why is the sea blue?');
  const after = await exam.claimed();
  expect(await exam.begin(after), 'not held up by the text that was').toEqual({ state: 'yours' });

  await exam.record(before, rubricOf('Sky'));
  expect(await exam.list(), 'discarded').toMatchObject({ version: 0, rubric: null });
  expect(await exam.begin(waiting, 0), 'which pinned that text too').toMatchObject({ state: 'made' });
  await exam.record(after, rubricOf('Sea'));
  expect([await exam.pinned(before), await exam.pinned(waiting), await exam.pinned(after)]).toEqual([
    rubricOf('Sky'),
    rubricOf('Sky'),
    rubricOf('Sea'),
  ]);
  expect(await exam.list()).toMatchObject({ version: 0, rubric: rubricOf('Sea'), source: 'generated' });

  await exam.editText(TEXT);
  expect(await exam.list(), 'of the text as it is again').toMatchObject({
    version: 0,
    rubric: rubricOf('Sky'),
  });
  await exam.editText('Why is it dark at night?');
  expect(await exam.list()).toMatchObject({ version: 0, rubric: null });
});

test.each([
  ['a rubric', { rubric: rubricOf('Own') }],
  ['a model answer', { model_answer: 'Air scatters blue light.' }],
])('%s that the client sets during the generation applies', async (_name, set) => {
  const exam = await newExam();
  const run = await exam.claimed();
  await exam.begin(run);
  await exam.set(set);
  await exam.record(run, rubricOf('Generated'));
  expect(await exam.pinned(run), 'which had pinned the paper before').toEqual(rubricOf('Generated'));
  const listed = await exam.list();
  expect(listed).toMatchObject({ version: 1, ...set });
  expect(listed).not.toHaveProperty('source');

  await exam.set({ rubric: null, model_answer: null });
  expect(await exam.list(), 'what was made before it stays discarded').toMatchObject({
    version: 2,
    rubric: null,
  });
  const later = await exam.claimed();
  expect(await exam.begin(later)).toEqual({ state: 'yours' });
  await exam.record(later, rubricOf('Anew'));
  expect(await exam.list()).toMatchObject({ version: 2, rubric: rubricOf('Anew'), source: 'generated' });
});

test('a generated rubric is generated again after a clear, and becomes the client’s if the client sends it', async () => {
  const exam = await newExam();
  const first = await exam.claimed();
  await exam.begin(first);
  await exam.record(first, rubricOf('First'));
  await exam.set({ rubric: null });
  expect(await exam.list()).toMatchObject({ version: 1, rubric: null });
  const second = await exam.claimed();
  expect(await exam.begin(second)).toEqual({ state: 'yours' });
  await exam.record(second, rubricOf('Second'));
  expect(await exam.list()).toMatchObject({ version: 1, rubric: rubricOf('Second'), source: 'generated' });
  await exam.set({ rubric: rubricOf('Second') });
  const listed = await exam.list();
  expect(listed).toMatchObject({ version: 2, rubric: rubricOf('Second') });
  expect(listed).not.toHaveProperty('source');
});

test('a model answer of white space counts as none and is stored as sent', async () => {
  const exam = await newExam({ model_answer: ' \n ' });
  const run = await exam.claimed();
  expect(await exam.begin(run)).toEqual({ state: 'yours' });
  await exam.record(run, rubricOf('Generated'));
  expect(await exam.list()).toMatchObject({
    version: 1,
    rubric: rubricOf('Generated'),
    model_answer: ' \n ',
    source: 'generated',
  });
  expect(await exam.set({ model_answer: ' \n ' })).toMatchObject({ version: 1 });
});

test('waiting runs continue without a rubric after a give-up, and the next copy tries again', async () => {
  const exam = await newExam();
  const [maker, waiting] = [await exam.claimed(), await exam.claimed()];
  await exam.begin(maker);
  expect(await exam.begin(waiting)).toEqual({ state: 'busy', failures: 0 });
  await exam.giveUp(maker);
  await exam.giveUp(maker);
  expect(await exam.begin(waiting, 0)).toEqual({ state: 'given_up' });
  const [next, later] = [await exam.claimed(), await exam.claimed()];
  expect(await exam.begin(next)).toEqual({ state: 'yours' });
  expect(await exam.begin(later)).toEqual({ state: 'busy', failures: 1 });
  expect(await exam.begin(later, 1)).toEqual({ state: 'busy', failures: 1 });
  await exam.record(next, rubricOf('Scattering'));
  expect(await exam.begin(later, 1)).toMatchObject({ state: 'made' });
  expect(await exam.pinned(waiting)).toBeNull();
});

test.each<[string, Rubric['criteria'], string]>([
  ['with a wrong sum', [{ name: 'a', marks: 1 }], 'rubric_marks_mismatch'],
  [
    'with the same name',
    [
      { name: 'Idea', marks: 1 },
      { name: 'idea', marks: 1 },
    ],
    'rubric_duplicate_criterion',
  ],
  ['with mark figures', [{ name: 'a', marks: 2, guidance: 'Award 2 marks.' }], 'rubric_guidance_has_marks'],
])('criteria %s are refused from a worker and not stored', async (_name, criteria, code) => {
  const exam = await newExam();
  const run = await exam.claimed();
  await exam.begin(run);
  expect(await refused(exam.record(run, { criteria }))).toContain(code);
  expect(await exam.list()).toMatchObject({ version: 0, rubric: null });
  expect(await exam.begin(run)).toEqual({ state: 'yours' });
});

test('a rubric is refused without a generation, with a model answer, for a foreign question or institute', async () => {
  const exam = await newExam();
  const other = await newExam({ model_answer: 'Because.' });
  const run = await exam.claimed();
  expect(await refused(exam.record(run, rubricOf('a')))).toContain('without holding its generation');
  expect(await refused(other.begin(await other.claimed()))).toContain('with a model answer');
  expect(await refused(other.begin(run))).toContain('no long answer');
  const foreign = { ...run, institute_id: randomUUID() };
  expect(await refused(exam.begin(foreign))).toBe('conflict');
  expect(await refused(exam.record(foreign, rubricOf('a')))).toBe('conflict');
});
