import { expect, test } from 'vitest';
import type { Question } from '@evaluation/rest-contract/schemas';
import { emptyCriterion, emptyExam, emptyOption, emptyQuestion, type ExamDraft } from './draft.ts';
import { keywordsIn } from './keywords.ts';
import { mergeDrafts } from './mergeDrafts.ts';
import { problemBelow, problemsElsewhere } from './problems.ts';
import { withChanged, withCopy, withMoved, withoutQuestion } from './questions.ts';
import { remainingProblems } from './remainingProblems.ts';
import { savedBody } from './requests.ts';
import { movedUp, renamed, withoutSection, withSection } from './sections.ts';
import { draftQuestion } from './stored.ts';

const question = (id: string | null, change: object = {}) => ({
  ...emptyQuestion(id ?? 'new'),
  id,
  text: `Question ${id}`,
  maxMarks: 2,
  ...change,
});
const exam = (change: Partial<ExamDraft> = {}): ExamDraft => ({
  ...emptyExam(false),
  title: 'Optics',
  questions: [question('a'), question('b')],
  ...change,
});

test('changes of two people to different fields are both kept, and none is listed as overwritten', () => {
  const [base, mine, theirs] = [exam(), exam(), exam()];
  const { draft, changed } = mergeDrafts(
    base,
    {
      ...mine,
      subject: 'Physics',
      questions: [
        ...mine.questions.map((one) => (one.id === 'a' ? { ...one, text: 'Mine' } : one)),
        question(null),
      ],
    },
    {
      ...theirs,
      blind: true,
      questions: [
        ...theirs.questions.map((one) => (one.id === 'a' ? { ...one, maxMarks: 3 } : one)),
        question('c'),
      ],
    },
  );
  expect(draft).toMatchObject({ subject: 'Physics', blind: true });
  expect(draft.questions.map(({ id, text, maxMarks }) => [id, text, maxMarks])).toEqual([
    ['a', 'Mine', 3],
    ['b', 'Question b', 2],
    ['c', 'Question c', 2],
    [null, 'Question null', 2],
  ]);
  expect(changed).toEqual([
    { field: 'blind', isMineKept: false },
    { question: 'a', isMineKept: true },
    { question: 'c', isMineKept: false },
  ]);
});

test('a field that both have changed keeps mine and is listed; so is a question that the other has removed', () => {
  const { draft, changed } = mergeDrafts(
    exam(),
    exam({ title: 'Mine' }),
    exam({ title: 'Theirs', questions: [question('b')] }),
  );
  expect(draft).toMatchObject({ title: 'Mine', questions: [{ id: 'b' }] });
  expect(changed).toEqual([
    { field: 'title', isMineKept: true },
    { question: 'a', isMineKept: false },
  ]);
});

test('a moved question keeps its place, and a new one stays before the question that follows it', () => {
  const all = exam({ questions: [question('a'), question('b'), question('c')] });
  const labelsOf = ({ draft }: ReturnType<typeof mergeDrafts>) => draft.questions.map(({ id }) => id);
  const [a, b, c] = all.questions;
  if (a === undefined || b === undefined || c === undefined) throw new Error('three questions');
  const theirs = exam({ questions: [a, b, question('d'), c] });
  expect(labelsOf(mergeDrafts(all, exam({ questions: [c, a, question(null), b] }), theirs))).toEqual([
    'd',
    'c',
    'a',
    null,
    'b',
  ]);
  const moved = exam({ questions: [b, a, c] });
  expect(labelsOf(mergeDrafts(all, exam({ questions: [a, question(null), b, c] }), moved))).toEqual([
    null,
    'b',
    'a',
    'c',
  ]);
});

test('a moved question keeps its number, and a copy has keys and a number of its own', () => {
  const all = exam({ questions: [question('1', { options: [emptyOption('A')] }), question('2')] });
  const [first, second] = all.questions.map(({ key }) => key);
  const moved = withMoved(all, second ?? '', -1);
  expect(moved.questions.map(({ label }) => label)).toEqual(['2', '1']);
  expect(withMoved(moved, second ?? '', -1)).toBe(moved);
  const copied = withCopy(all, first ?? '', 'copy').questions;
  expect(copied.map(({ key, id, label }) => [key, id, label])).toEqual([
    [first, '1', '1'],
    ['copy', null, '3'],
    [second, '2', '2'],
  ]);
  expect(copied[1]?.options[0]?.key).not.toBe(copied[0]?.options[0]?.key);
  expect(copied[1]?.text).toBe('Question 1');
});

test('the first declared section comes after those that the questions name, and questions follow a new name', () => {
  let draft = exam({ questions: [question('a', { section: 'A' }), question('b', { section: 'B' })] });
  draft = withSection(draft);
  expect(draft.sections.map(({ name }) => name)).toEqual(['A', 'B', '']);
  const keyOf = (index: number) => draft.sections[index]?.key ?? '';
  draft = renamed(draft, keyOf(2), 'Last');
  draft = renamed(draft, keyOf(1), 'Essay');
  draft = movedUp(draft, keyOf(1));
  expect(draft.sections.map(({ name }) => name)).toEqual(['Essay', 'A', 'Last']);
  expect(draft.questions.map(({ section }) => section)).toEqual(['A', 'Essay']);
  expect(withoutSection(draft, keyOf(0)).questions.map(({ section }) => section)).toEqual(['A', 'Essay']);
});

test('a stored question is saved with its id and without the fields that the form does not show', () => {
  const draft = exam({
    questions: [question('a', { rest: { word_limit: 5 } }), question(null, { rest: { word_limit: 7 } })],
  });
  const { questions } = savedBody(draft, { draft: exam(), questions: [] });
  expect(questions).toMatchObject([{ id: 'a' }, { id: null, word_limit: 7 }]);
  expect(questions[0]).not.toHaveProperty('word_limit');
});

test('a stored question is saved as it was read until it is changed, and a keyword with a comma stays one', () => {
  const read: Question = {
    id: 'a',
    label: '1',
    section: 'A',
    type: 'long_answer',
    text: 'Which acid?\n',
    max_marks: 2,
    negative_marks: 0,
    rubric: { criteria: [{ name: 'Name', marks: 2, keywords: ['2,4-D', 'the "acid"', 'a weed killer'] }] },
    parent_label: null,
    word_limit: 5,
    expects_diagram: null,
    assess_language: null,
    tags: null,
    external_id: null,
    created_at: '2026-11-23T00:00:00.000Z',
    updated_at: '2026-11-23T00:00:00.000Z',
  };
  const form = exam({ questions: [draftQuestion(read, 'a')] });
  const stored = { draft: exam({ questions: [draftQuestion(read, 'a')] }), questions: [read] };
  const { id, label, section, type, text, max_marks, negative_marks, rubric } = read;
  const asRead = { id, label, section, type, text, max_marks, negative_marks, rubric };
  expect(savedBody({ ...form, title: 'New' }, stored).questions).toEqual([asRead]);
  const changed = form.questions.map((one) => ({ ...one, maxMarks: 3 }));
  const [saved] = savedBody({ ...form, questions: changed }, stored).questions;
  expect(saved).toMatchObject({ max_marks: 3, text: 'Which acid?' });
  expect(saved?.rubric?.criteria[0]?.keywords).toEqual(read.rubric?.criteria[0]?.keywords);
});

test('keywords are separated by commas, and spaces and empty ones between them do not count', () => {
  expect(keywordsIn(' mass ,, inertia of "rest", ')).toEqual(['mass', 'inertia of "rest"']);
  expect(keywordsIn('"2,4-D", acid')).toEqual(['2,4-D', 'acid']);
  expect(keywordsIn('"open, acid')).toEqual(['"open', 'acid']);
  expect(keywordsIn('')).toEqual([]);
});

test('each problem of a question is shown at a field or at the question', () => {
  const problems = new Map([
    ['questions[0].answer[1]', 'Not a number.'],
    ['questions[0].word_limit', 'Too large.'],
    ['questions[0]', 'Needs a key.'],
    ['questions[01]', 'Of another.'],
  ]);
  expect(problemBelow(problems, 'questions[0].answer')).toBe('Not a number.');
  expect(problemsElsewhere(problems, 'questions[0]')).toBe('Too large. Needs a key.');
});

test('a problem goes when its value, or one that it is compared with, is changed, and follows a moved question', () => {
  const criteria = ['x', 'y'].map((name) => ({ ...emptyCriterion(), name, marks: 1 }));
  const draft = exam({
    questions: [
      question('a', { label: '1' }),
      question('b', { label: '1', maxMarks: 3, hasRubric: true, criteria }),
    ],
  });
  const problems = new Map([
    ['title', 'Taken.'],
    ['questions[0].text', 'Too long.'],
    ['questions[1].label', 'Occurs twice.'],
    ['questions[1].rubric.criteria', 'Adds up to 2.'],
    ['questions[1].rubric.criteria[1].name', 'Taken.'],
  ]);
  const [a, b] = draft.questions.map(({ key }) => key);
  const after = (now: ExamDraft) => [...remainingProblems(problems, draft, now).keys()];
  expect(remainingProblems(problems, draft, { ...draft, subject: 'Physics' })).toBe(problems);
  expect(after({ ...draft, title: 'Lenses' })).toEqual([...problems.keys()].slice(1));
  expect(after(withChanged(draft, b ?? '', { maxMarks: 2 }))).toEqual([
    'title',
    'questions[0].text',
    'questions[1].label',
    'questions[1].rubric.criteria[1].name',
  ]);
  // The other of two equal numbers may be the one that was wrong.
  expect(after(withChanged(draft, a ?? '', { label: '2' }))).not.toContain('questions[1].label');
  expect(after(withMoved(draft, b ?? '', -1))).toEqual([
    'title',
    'questions[1].text',
    'questions[0].label',
    'questions[0].rubric.criteria',
    'questions[0].rubric.criteria[1].name',
  ]);
  expect(after(withoutQuestion(draft, b ?? ''))).toEqual(['title', 'questions[0].text']);
});
