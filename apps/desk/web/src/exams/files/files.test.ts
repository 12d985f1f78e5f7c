import { expect, test } from 'vitest';
import { ExamCreate } from '@evaluation/rest-contract/schemas';
import { emptyExam } from '../form/draft.ts';
import { examBody } from '../form/requests.ts';
import { readAnswers } from './readAnswers.ts';
import { readCandidates } from './readCandidates.ts';
import { readExamJson } from './readExamJson.ts';
import { readQuestionTable } from './readQuestions.ts';

test('candidates are read from comma, semicolon or tab, with quotes, a byte order mark and other headings', () => {
  const asha = { external_id: 'S17', name: 'Rao, Asha', roll_number: '17' };
  for (const file of [
    '\uFEFFid,name,roll number\r\nS17,"Rao, Asha",17\r\n\r\n',
    'External_ID;Name;Roll\nS17;Rao, Asha;17\n',
    'student id\tname\troll no\nS17\tRao, Asha\t17',
  ])
    expect(readCandidates(file)).toMatchObject({ candidates: [asha], problems: [] });
});

test('a table without ids is refused: a roll number is no id', () => {
  expect(readCandidates('roll,name\n17,आशा\n')).toEqual({
    candidates: [],
    problems: [{ line: 1, code: 'no_column', about: 'id' }],
  });
});

test('the apostrophe that the results’ CSV puts before a text like a formula is taken off', () => {
  expect(readCandidates(`id,name\n"'=1+1",'Asha\n"' -7",d'Souza\n`).candidates).toMatchObject([
    { external_id: '=1+1', name: "'Asha" },
    { external_id: '-7', name: "d'Souza" },
  ]);
});

test('empty and repeated ids and a missing column are reported with their lines', () => {
  expect(readCandidates('id,name\n1,a\n,b\n1,c\n')).toMatchObject({
    candidates: [{ external_id: '1', name: 'a' }],
    problems: [
      { line: 3, code: 'empty', about: 'id' },
      { line: 4, code: 'repeated', about: '1' },
    ],
  });
  expect(readCandidates('name\nAsha\n').problems).toEqual([{ line: 1, code: 'no_column', about: 'id' }]);
  expect(readCandidates('').problems).toEqual([{ line: 1, code: 'not_a_table' }]);
  expect(readCandidates('id,name\n').problems).toEqual([{ line: 1, code: 'no_rows' }]);
});

const asked = [
  { id: 'q1', label: '1', type: 'mcq_multi' },
  { id: 'q2', label: '2(a)', type: 'long_answer' },
  { id: 'q3', label: '3', type: 'numeric' },
] as const;

test('typed answers are read by question labels; empty cells are no answers', () => {
  const file = 'id,Q1,2(A),3,remark\nS17,"A, C","Because\nof this",24,late\nS18,,,0,\n';
  expect(readAnswers(file, asked)).toMatchObject({
    submissions: [
      {
        line: 2,
        external_id: 'S17',
        answers: [
          { question_id: 'q1', option_labels: ['A', 'C'] },
          { question_id: 'q2', text: 'Because\nof this' },
          { question_id: 'q3', text: '24' },
        ],
      },
      { line: 3, external_id: 'S18', answers: [{ question_id: 'q3', text: '0' }] },
    ],
    problems: [{ line: 1, code: 'unknown_column', about: 'remark' }],
  });
});

const TABLE = [
  'label,type,text,marks,options,correct,answer,model answer,criteria,negative marks',
  '1,mcq,Choose.,1,A: One | B: Two: both,B,,,,0.25',
  '2,numeric,How many?,2,,,24 | 2.4e1,,,',
  '3,long answer,Why?,3,,,,Because.,Reason: 2 | Example: 1,',
].join('\n');

test('questions are read from a table and become a body that the API accepts', () => {
  const { questions, problems } = readQuestionTable(TABLE);
  expect(problems).toEqual([]);
  const body = examBody({ ...emptyExam(false), title: 'Test', mode: 'typed', questions }, { open: true });
  expect(ExamCreate.parse(body)).toEqual(body);
  expect(body.questions).toEqual([
    {
      label: '1',
      type: 'mcq_single',
      text: 'Choose.',
      max_marks: 1,
      negative_marks: 0.25,
      options: [
        { label: 'A', text: 'One' },
        { label: 'B', text: 'Two: both' },
      ],
      correct_options: ['B'],
    },
    { label: '2', type: 'numeric', text: 'How many?', max_marks: 2, answer: ['24', '2.4e1'] },
    {
      label: '3',
      type: 'long_answer',
      text: 'Why?',
      max_marks: 3,
      model_answer: 'Because.',
      rubric: {
        partial_marking: true,
        criteria: [
          { name: 'Reason', marks: 2 },
          { name: 'Example', marks: 1 },
        ],
      },
    },
  ]);
});

test('cells of a question that cannot be read are reported with their lines', () => {
  const file = 'label,type,text,marks,options,criteria\n1,essay,Why?,two,A One,Reason: much\n';
  expect(readQuestionTable(file).problems).toEqual([
    { line: 2, code: 'unknown_type', about: 'essay' },
    { line: 2, code: 'bad_list', about: 'options' },
    { line: 2, code: 'no_number', about: 'much' },
    { line: 2, code: 'no_number', about: 'two' },
  ]);
});

test('an exam as JSON of the API comes back from the form unchanged', () => {
  const exam = {
    title: 'Physics',
    mode: 'typed',
    level: 'ug',
    blind: true,
    open: false,
    subject: 'Light',
    questions: [
      {
        label: '1',
        section: 'B',
        type: 'long_answer',
        text: 'Why?',
        max_marks: 2,
        word_limit: 80,
        tags: { topic: 'optics' },
        rubric: { partial_marking: false, criteria: [{ name: 'All', marks: 2, keywords: ['ray', 'lens'] }] },
      },
      { label: '2', type: 'one_word', text: 'Which?', max_marks: 1, answer: 'Lens' },
    ],
  };
  const { draft, problems } = readExamJson(JSON.stringify(exam));
  expect(problems).toEqual([]);
  expect(examBody(draft, { open: false })).toEqual(exam);
});

test('a file without JSON or without an exam leaves the form as it is', () => {
  const before = { ...emptyExam(false), title: 'Kept' };
  expect(readExamJson('{', before)).toEqual({ draft: before, problems: [{ line: 1, code: 'not_json' }] });
  for (const file of ['null', '[]', '"x"', '{"questions": 7}'])
    expect(readExamJson(file, before)).toEqual({ draft: before, problems: [{ line: 1, code: 'no_rows' }] });
});

test('sections and choice groups of an exam as JSON come into the form', () => {
  const sections = [
    { name: 'Essay', order: 20 },
    { name: 'Choices', order: 10 },
  ];
  const file = JSON.stringify({ title: 'Physics', sections, choice_groups: [{ pick: 2 }] });
  const body = examBody(readExamJson(file).draft, { open: false });
  expect(body.sections).toEqual([
    { name: 'Choices', order: 1 },
    { name: 'Essay', order: 2 },
  ]);
  expect(body.choice_groups).toEqual([{ pick: 2 }]);
});
