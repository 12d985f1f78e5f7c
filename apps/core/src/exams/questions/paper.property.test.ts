import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { QuestionInput } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { openTestDatabase, statementsOf } from '@evaluation/test-services';
import { insertExam } from '../../../test/insertExam.ts';
import { readExam } from '../readExam.ts';
import { addQuestions } from './addQuestions.ts';
import { deleteQuestion } from './deleteQuestion.ts';
import { editQuestion } from './editQuestion.ts';
import { listQuestions } from './listQuestions.ts';

const clone = await openTestDatabase(4);
const { database } = clone;
const actor: Actor = { institute_id: randomUUID(), key_id: randomUUID(), scopes: [] };

beforeAll(async () => {
  await database.control.institutes.create({ data: { id: actor.institute_id, name: 'Hill View School' } });
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => clone.close());

/** @param declared names of sections in their order, or null to derive sections from the questions */
const newExam = async (declared: string[] | null): Promise<string> => {
  const id = await insertExam(database, actor.institute_id);
  await database.inTenant(actor.institute_id, async (tx) => {
    for (const [index, name] of (declared ?? []).entries()) {
      await tx
        .insertInto('sections')
        .values({
          id: randomUUID(),
          institute_id: actor.institute_id,
          exam_id: id,
          name,
          position: index + 1,
          sent_order: String(index),
        })
        .execute();
    }
  });
  return id;
};

const readPaper = async (examId: string) => ({
  exam: await database.inTenant(actor.institute_id, (tx) =>
    readExam(tx, actor, examId, { dashboardUrl: '' }),
  ),
  listed: (await listQuestions({ database }, actor, examId, {})).questions,
});

interface Step {
  act: 'add' | 'edit' | 'delete';
  /** Index of the edited or deleted question, modulo the number of questions. */
  pick: number;
  count: number;
  halves: number;
  section: string | null;
  isMultiple: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom('add', 'add', 'edit', 'edit', 'delete'),
  pick: fc.nat(50),
  count: fc.integer({ min: 1, max: 4 }),
  halves: fc.integer({ min: 1, max: 1990 }),
  section: fc.constantFrom(null, 'Biology', 'Physics', 'Chemistry'),
  isMultiple: fc.boolean(),
});

interface Known {
  id: string;
  label: string;
  section: string;
  halves: number;
}

test('after any allowed edits of a draft, marks, count, order and sections of its paper are correct', async () => {
  const declared = fc.constantFrom<string[] | null>(null, ['Physics', 'Biology', 'Chemistry']);
  await fc.assert(
    fc.asyncProperty(declared, fc.array(step, { minLength: 1, maxLength: 14 }), async (names, steps) => {
      const examId = await newExam(names);
      const known: Known[] = [];
      let sections: string[] = names ?? [];
      let labels = 0;
      const enter = (name: string | null): string => {
        const section = name ?? sections[0] ?? 'A';
        if (!sections.includes(section)) sections = [...sections, section];
        return section;
      };
      for (const { act, pick, count, halves, section, isMultiple } of steps) {
        const chosen = known[pick % Math.max(known.length, 1)];
        if (act === 'add' || chosen === undefined) {
          const questions = Array.from({ length: count }, (_, index): QuestionInput => {
            labels += 1;
            return {
              label: `Q${labels}`,
              type: 'one_word',
              text: 'Which?',
              answer: 'this',
              max_marks: (halves + index) / 2,
              ...(section === null ? {} : { section }),
            };
          });
          const added = await addQuestions({ database }, actor, examId, { questions });
          known.push(
            ...added.questions.map(({ id, label }, index) => ({
              id,
              label,
              section: enter(section),
              halves: halves + index,
            })),
          );
        } else if (act === 'edit') {
          const change = {
            max_marks: halves / 2,
            ...(isMultiple ? { section, label: `${chosen.label}x`, word_limit: count } : {}),
          };
          if (`${chosen.label}x`.length > 16) continue;
          await editQuestion({ database }, actor, examId, chosen.id, change);
          chosen.halves = halves;
          if (isMultiple) {
            chosen.section = enter(section);
            chosen.label = `${chosen.label}x`;
          }
        } else {
          await deleteQuestion({ database }, actor, examId, chosen.id);
          known.splice(known.indexOf(chosen), 1);
        }
        if (names === null) {
          sections = sections.filter((name) => known.some((question) => question.section === name));
        }

        const { exam, listed } = await readPaper(examId);
        const marks = known.reduce((sum, question) => sum + question.halves, 0) / 2;
        expect(exam).toMatchObject({
          total_marks: marks,
          paper_max: marks,
          question_count: known.length,
        });
        const expected = known.map((question) => ({
          id: question.id,
          label: question.label,
          section: question.section,
          max_marks: question.halves / 2,
        }));
        expect(exam.questions).toEqual(expected);
        expect(
          listed.map((question) => ({
            id: question.id,
            label: question.label,
            section: question.section,
            max_marks: question.max_marks,
          })),
        ).toEqual(expected);
        expect(exam.sections.map(({ name }) => name)).toEqual(sections);
      }
    }),
    { numRuns: 30 },
  );
}, 60_000);

test('200 questions with options and rubrics are added by as many statements as two questions', async () => {
  const questions = (count: number): QuestionInput[] =>
    Array.from({ length: count }, (_, index) =>
      index % 2 === 0
        ? {
            label: `Q${index}`,
            type: 'mcq_multi',
            text: 'Which?',
            max_marks: 1,
            section: `S${index % 20}`,
            options: Array.from({ length: 26 }, (_option, at) => ({
              label: `L${at}`,
              text: 'x'.repeat(200),
            })),
            correct_options: ['L1', 'L2'],
          }
        : {
            label: `Q${index}`,
            type: 'long_answer',
            text: 'x'.repeat(2000),
            max_marks: 1,
            model_answer: 'y'.repeat(2000),
            rubric: { criteria: [{ name: 'All', marks: 1 }] },
          },
    );
  const small = await newExam(null);
  const large = await newExam(null);
  const two = await statementsOf(clone.url, () =>
    addQuestions({ database }, actor, small, { questions: questions(2) }),
  );
  expect(two).toBeLessThanOrEqual(16);
  const all = await statementsOf(clone.url, () =>
    addQuestions({ database }, actor, large, { questions: questions(200) }),
  );
  expect(all).toBe(two);
  const { exam } = await readPaper(large);
  expect(exam).toMatchObject({ question_count: 200, total_marks: 200 });
});

test('questions that concurrent calls add are all stored, in one order, and counted', async () => {
  const exam = await newExam(null);
  const added = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      addQuestions({ database }, actor, exam, {
        questions: ['a', 'b'].map((part) => ({
          label: `${index}${part}`,
          type: 'one_word',
          text: 'Which?',
          max_marks: 0.5,
          answer: 'this',
          section: index % 2 === 0 ? 'Even' : 'Odd',
        })),
      }),
    ),
  );
  const paper = await readPaper(exam);
  expect(paper.exam).toMatchObject({ question_count: 20, total_marks: 10 });
  expect(paper.exam.sections).toHaveLength(2);
  const order = paper.listed.map(({ label }) => label);
  for (const { questions } of added) {
    const [first, second] = questions.map(({ label }) => order.indexOf(label));
    expect(second).toBe((first ?? Number.NaN) + 1);
  }
});

test('of concurrent calls that add the same label, exactly one succeeds', async () => {
  const exam = await newExam(null);
  const tried = await Promise.allSettled(
    ['x', 'X', 'x', 'X', 'x'].map((label) =>
      addQuestions({ database }, actor, exam, {
        questions: [{ label, type: 'one_word', text: 'Which?', max_marks: 1, answer: 'this' }],
      }),
    ),
  );
  expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await readPaper(exam)).exam).toMatchObject({ question_count: 1, total_marks: 1 });
});
