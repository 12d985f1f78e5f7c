import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { QuestionInput, Rubric } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { openTestDatabase, statementsOf } from '@evaluation/test-services';
import { insertExam } from '../../../test/insertExam.ts';
import { addQuestions } from '../questions/addQuestions.ts';
import { editQuestion } from '../questions/editQuestion.ts';
import { readPaper } from '../paper/paper.ts';
import { editRubrics } from './editRubrics.ts';
import { listRubrics } from './listRubrics.ts';

const clone = await openTestDatabase(4);
const { database } = clone;
const actor: Actor = { institute_id: randomUUID(), key_id: randomUUID(), scopes: [] };

afterEach(() => vi.restoreAllMocks());
afterAll(() => clone.close());

const newExam = async (questions: number): Promise<{ examId: string; ids: string[] }> => {
  const examId = await insertExam(database, actor.institute_id);
  const added = await addQuestions({ database }, actor, examId, {
    questions: Array.from({ length: questions }, (_, index): QuestionInput => ({
      label: `${index}`,
      type: 'long_answer',
      text: 'Why?',
      max_marks: 2,
    })),
  });
  return { examId, ids: added.questions.map(({ id }) => id) };
};

interface Material {
  rubric: Rubric | null;
  model_answer: string | null;
}

const rubric: fc.Arbitrary<Rubric | null> = fc.constantFrom(
  null,
  { criteria: [{ name: 'All', marks: 2 }] },
  {
    partial_marking: true,
    criteria: [
      { name: 'a', marks: 0.7, keywords: ['k'] },
      { name: 'b', marks: 1.3, guidance: 'x < y' },
    ],
  },
);
const modelAnswer = fc.constantFrom(null, '', 'One', 'Two');
const change = fc.record({ rubric, model_answer: modelAnswer }, { requiredKeys: [] });

const QUESTIONS = 3;
const edits = fc.array(
  fc.record({
    // Edits by the rubric list and by a single question share one history.
    isQuestion: fc.boolean(),
    changes: fc.array(fc.tuple(fc.nat(QUESTIONS - 1), change), { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 10 },
);

test('after any edits the list shows the last version, and every older one can still be read', async () => {
  await fc.assert(
    fc.asyncProperty(edits, async (history) => {
      const { examId, ids } = await newExam(QUESTIONS);
      let current = ids.map((): Material => ({ rubric: null, model_answer: null }));
      const versions = [current];
      for (const { isQuestion, changes } of history) {
        const byQuestion = new Map(isQuestion ? changes.slice(0, 1) : changes);
        const next = current.map((material, index) => ({ ...material, ...byQuestion.get(index) }));
        if (isQuestion) {
          for (const [index, edit] of byQuestion) {
            await editQuestion({ database }, actor, examId, ids[index] ?? '', edit);
          }
        } else {
          const questions = Object.fromEntries([...byQuestion].map(([index, edit]) => [ids[index], edit]));
          const answer = await editRubrics({ database }, actor, examId, undefined, { questions });
          expect(answer.questions).toEqual(
            [...byQuestion.keys()].map((index) => ({ question_id: ids[index] })),
          );
        }
        if (JSON.stringify(next) !== JSON.stringify(current)) versions.push(next);
        current = next;
        expect(await listRubrics({ database }, actor, examId)).toEqual({
          version: versions.length - 1,
          questions: current.map((material, index) => ({
            question_id: ids[index],
            label: `${index}`,
            ...material,
          })),
        });
      }
      // Rubrics that a run of each version is marked by.
      for (const [version, expected] of versions.entries()) {
        const paper = await database.inTenant(actor.institute_id, (tx) =>
          readPaper(tx, actor.institute_id, examId, version),
        );
        expect(paper.map(({ rubric: marking, model_answer }) => ({ rubric: marking, model_answer }))).toEqual(
          expected,
        );
      }
    }),
    { numRuns: 30 },
  );
}, 60_000);

test('no version can be rewritten, and only what changed has a row', async () => {
  const { examId, ids } = await newExam(3);
  const set = (questions: object) => editRubrics({ database }, actor, examId, undefined, { questions });
  await set({ [ids[0] ?? '']: { model_answer: 'One' }, [ids[1] ?? '']: { model_answer: 'One' } });
  await set({ [ids[0] ?? '']: { model_answer: 'Two' }, [ids[1] ?? '']: { model_answer: 'One' } });
  const rows = await database.inTenant(actor.institute_id, (tx) =>
    tx
      .selectFrom('rubric_versions')
      .select(['question_id', 'version', 'model_answer'])
      .where('exam_id', '=', examId)
      .orderBy('version')
      .execute(),
  );
  expect(rows).toHaveLength(3);
  expect(rows.at(-1)).toEqual({ question_id: ids[0], version: 2, model_answer: 'Two' });
  await expect(
    database.inTenant(actor.institute_id, (tx) =>
      tx.updateTable('rubric_versions').set({ model_answer: 'x' }).where('exam_id', '=', examId).execute(),
    ),
  ).rejects.toThrow('append-only');
});

test('as many statements change 200 rubrics as one', async () => {
  const { examId, ids } = await newExam(200);
  const set = (questionIds: readonly string[], name: string) => () =>
    editRubrics({ database }, actor, examId, undefined, {
      questions: Object.fromEntries(
        questionIds.map((id) => [
          id,
          {
            rubric: { criteria: [{ name, marks: 2, guidance: 'x'.repeat(1000) }] },
            model_answer: 'y'.repeat(5000),
          },
        ]),
      ),
    });
  const one = await statementsOf(clone.url, set(ids.slice(0, 1), 'one'));
  expect(one).toBeLessThanOrEqual(12);
  expect(await statementsOf(clone.url, set(ids, 'all'))).toBe(one);
  const list = await listRubrics({ database }, actor, examId);
  expect(list.version).toBe(2);
  expect(list.questions.every(({ rubric: marking }) => marking?.criteria[0]?.name === 'all')).toBe(true);
});
