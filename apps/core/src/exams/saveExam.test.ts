import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { DomainFailure, type Failure } from '@evaluation/rest-contract/errors';
import type { ExamCreate, QuestionInput } from '@evaluation/rest-contract/schemas';
import { staffActor, type Actor } from '@evaluation/platform/signed-actor';
import { newTestCore } from '../../test/newTestCore.ts';
import { once } from '../command/idempotency/once.ts';
import { asSent } from './questions/questionFields.ts';
import { createExam } from './createExam.ts';
import { showExamForm, type ExamForm } from './examForm.ts';
import { openExam } from './openExam.ts';
import { saveExam, type ExamSaveBody } from './saveExam.ts';

/* The form of an exam at the desk is saved whole (docs/decisions/093-an-exam-is-saved-whole.md). */

const { services, newInstitute, close } = await newTestCore();
afterAll(close);

let actor: Actor;
beforeEach(async () => {
  const institute_id = await newInstitute();
  const scopes = ['evaluation:read', 'evaluation:write', 'evaluation:review'];
  actor = staffActor({ institute_id, staff_id: randomUUID(), role: 'admin', scopes });
});

const choice = (label: string, change: Partial<QuestionInput> = {}): QuestionInput => ({
  label,
  type: 'mcq_single',
  text: 'Which?',
  max_marks: 1,
  negative_marks: 0.25,
  options: [
    { label: 'A', text: 'One' },
    { label: 'B', text: 'Two' },
  ],
  correct_options: ['B'],
  ...change,
});
const long = (label: string, change: Partial<QuestionInput> = {}): QuestionInput => ({
  label,
  type: 'long_answer',
  text: 'Why?',
  max_marks: 2,
  rubric: { partial_marking: true, criteria: [{ name: 'Reason', marks: 2 }] },
  ...change,
});
const newExam = async (change: Partial<ExamCreate> = {}): Promise<ExamForm> => {
  const paper = { title: 'Optics', mode: 'typed', questions: [choice('1'), long('2'), long('3')], ...change };
  const { id } = await createExam(services, actor, paper);
  return showExamForm(services, actor, id);
};
/** The body that the page makes of a form that was not touched. */
const bodyOf = ({ exam, questions, sections_declared: isDeclared }: ExamForm): ExamSaveBody => ({
  title: exam.title,
  mode: exam.mode,
  level: exam.level === 'ug' ? 'ug' : 'school',
  blind: exam.blind,
  conducted_on: exam.conducted_on,
  ...(isDeclared ? { sections: exam.sections } : {}),
  questions: questions.map((question) => {
    const { tags: _, word_limit: __, ...shown } = asSent(question);
    return { ...shown, id: question.id };
  }),
});
const save = (form: ExamForm, body: ExamSaveBody) =>
  saveExam(services, actor, { exam_id: form.exam.id, seen: form.revision, body });
const failureOfSave = (form: ExamForm, body: ExamSaveBody): Promise<Failure | null> =>
  save(form, body).then(
    () => null,
    (error: unknown) => {
      if (error instanceof DomainFailure) return error.failure;
      throw error;
    },
  );
const again = (form: ExamForm) => showExamForm(services, actor, form.exam.id);
const at = (body: ExamSaveBody, index: number) => {
  const question = body.questions[index];
  if (question === undefined) throw new Error(`the exam has no question ${index}`);
  return question;
};

test('a form that was not touched writes nothing, also with declared sections and hidden fields', async () => {
  for (const change of [
    {},
    { mode: 'handwritten' },
    { open: true },
    {
      sections: [
        { name: 'Part I', order: 7 },
        { name: 'Part II', order: 9 },
      ],
      questions: [choice('1', { section: 'part ii', tags: { topic: 'light' }, word_limit: 5 })],
    },
  ] satisfies Partial<ExamCreate>[]) {
    const form = await newExam(change);
    await save(form, bodyOf(form));
    expect(await again(form)).toEqual(form);
  }
});

test('everything of a draft changes in one save: labels exchanged, order, sections, a question less and one more', async () => {
  const form = await newExam();
  const body = bodyOf(form);
  const [first, second] = [at(body, 0), at(body, 1)];
  await save(form, {
    ...body,
    title: 'Waves',
    subject: 'Physics',
    blind: true,
    sections: [
      { name: 'Theory', order: 1 },
      { name: 'Choices', order: 2 },
    ],
    questions: [
      { ...second, label: '1', section: 'Theory', max_marks: 3, rubric: null, model_answer: 'Because.' },
      long('New', { section: 'Theory' }),
      {
        ...first,
        label: '2',
        section: 'Choices',
        correct_options: ['C'],
        options: [
          { label: 'B', text: 'Two' },
          { label: 'C', text: 'Three' },
        ],
      },
    ],
  });
  const after = await again(form);
  expect(after.exam).toMatchObject({
    title: 'Waves',
    subject: 'Physics',
    blind: true,
    total_marks: 6,
    question_count: 3,
    sections: [
      { name: 'Theory', order: 1 },
      { name: 'Choices', order: 2 },
    ],
    rubric: { version: 2 },
  });
  expect(after.questions).toMatchObject([
    { id: second.id, label: '1', section: 'Theory', max_marks: 3, rubric: null, model_answer: 'Because.' },
    { label: 'New', section: 'Theory', rubric: { criteria: [{ name: 'Reason', marks: 2 }] } },
    { id: first.id, label: '2', section: 'Choices', correct_options: ['C'] },
  ]);
  // The option that keeps its label keeps its id.
  const optionOf = (shown: ExamForm, index: number) =>
    shown.questions[index]?.options?.find(({ label }) => label === 'B')?.option_id;
  expect(optionOf(after, 2)).toBe(optionOf(form, 0));

  // Declared sections become derived ones again.
  const { sections: _, ...derived } = bodyOf(after);
  await save(after, derived);
  expect(await again(form)).toMatchObject({ sections_declared: false });
});

test('fields that the form does not show keep their value', async () => {
  const form = await newExam({ questions: [long('1', { tags: { topic: 'light' }, word_limit: 80 })] });
  const body = bodyOf(form);
  await save(form, { ...body, questions: [{ ...at(body, 0), text: 'Why not?' }] });
  expect((await again(form)).questions).toMatchObject([
    { text: 'Why not?', tags: { topic: 'light' }, word_limit: 80 },
  ]);
});

describe('nothing is saved', () => {
  test('if fields are wrong: the answer lists all problems, each with its field of the form', async () => {
    const form = await newExam();
    const body = bodyOf(form);
    const rubric = { criteria: [{ name: 'Reason', marks: 1 }] };
    const failure = await failureOfSave(form, {
      ...body,
      title: 'Changed',
      sections: [
        { name: 'A', order: 1 },
        { name: 'a', order: 2 },
      ],
      questions: [
        { ...at(body, 0), id: randomUUID() },
        { ...at(body, 1), rubric, section: 'Elsewhere' },
        { ...at(body, 2), type: 'one_word', rubric: null, answer: 'x', label: '2' },
      ],
    });
    const errors: unknown = Reflect.get(failure?.details ?? {}, 'errors');
    expect(errors).toEqual(
      expect.arrayContaining(
        [
          'sections[1].name',
          'questions[0].id',
          'questions[1].section',
          'questions[1].rubric.criteria',
          'questions[2].label',
          'questions[2].type',
        ].map((field) => expect.objectContaining({ field })),
      ),
    );
    expect(await again(form)).toEqual(form);
  });

  test('if another person has changed the exam since it was read', async () => {
    const form = await newExam();
    const body = bodyOf(form);
    await save(form, { ...body, questions: [{ ...at(body, 0), text: 'Of a colleague' }] });
    const between = await again(form);
    expect(await failureOfSave(form, { ...body, title: 'Mine' })).toMatchObject({ code: 'conflict' });
    expect(await again(form)).toEqual(between);
    await save(between, { ...bodyOf(between), title: 'Mine' });
    expect((await again(form)).questions).toMatchObject([{ text: 'Of a colleague' }]);
  });

  test('of two saves at once, one is refused because the exam has changed', async () => {
    const form = await newExam();
    const failures = await Promise.all(
      ['One', 'Two'].map((title) => failureOfSave(form, { ...bodyOf(form), title })),
    );
    expect(failures.map((failure) => failure?.code ?? 'saved').toSorted()).toEqual(['conflict', 'saved']);
    expect((await again(form)).exam.title).toBe(failures[0] === null ? 'One' : 'Two');
  });

  test('if the exam is open and the marking scheme or the structure changes; texts and rubrics are saved', async () => {
    const form = await newExam();
    await openExam(services, actor, form.exam.id, {});
    const body = bodyOf(form);
    const refused: ExamSaveBody[] = [
      { ...body, questions: body.questions.slice(1) },
      { ...body, questions: [...body.questions, long('4')] },
      { ...body, questions: body.questions.toReversed() },
      { ...body, title: 'Changed', questions: [{ ...at(body, 0), max_marks: 2 }, at(body, 1), at(body, 2)] },
      { ...body, mode: 'handwritten' },
      { ...body, blind: true },
      { ...body, sections: [{ name: 'A', order: 1 }] },
    ];
    const open = await again(form);
    for (const change of refused)
      expect(await failureOfSave(open, change)).toMatchObject({ code: 'conflict' });
    expect(await again(form)).toEqual(open);
    const rubric = { partial_marking: true, criteria: [{ name: 'Cause', marks: 2 }] };
    await save(open, {
      ...body,
      title: 'Renamed',
      questions: [at(body, 0), { ...at(body, 1), text: 'Why so?' }, { ...at(body, 2), rubric }],
    });
    const after = await again(form);
    expect(after.exam).toMatchObject({ title: 'Renamed', rubric: { version: 2 } });
    expect(after.questions).toMatchObject([{}, { text: 'Why so?' }, { rubric }]);
  });
});

test('a save that is sent again with its key is answered alike, and is no change of another person', async () => {
  const form = await newExam();
  const idempotent = { key: randomUUID(), fingerprint: 'f'.repeat(64) };
  const send = () =>
    once({ services, actor, idempotent }, (within) =>
      saveExam(within, actor, {
        exam_id: form.exam.id,
        seen: form.revision,
        body: { ...bodyOf(form), title: 'Once' },
      }),
    );
  expect(await send()).toMatchObject({ title: 'Once' });
  await expect(send()).rejects.toMatchObject({ outcome: { body: { title: 'Once' } } });
});

test('an external reference that another exam has is refused with that exam', async () => {
  const taken = await newExam({ external_ref: 'optics' });
  const form = await newExam();
  expect(await failureOfSave(form, { ...bodyOf(form), external_ref: 'optics' })).toMatchObject({
    code: 'exam_exists',
    details: { exam_id: taken.exam.id },
  });
});
