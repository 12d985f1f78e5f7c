import { describe, expect, test } from 'vitest';
import { longAnswer, mcq, numeric } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { everyType, paperCalls } from './paperCalls.ts';

const { tenant } = await restSuite();
const { draft, opened, readExam, list, add, edit, remove, idOf, refused, refusedEdit } = paperCalls(tenant);

describe('PATCH of a question of an open exam', () => {
  test('changes text, rubric, model answer and stored-only fields', async () => {
    const exam = await opened([longAnswer('1'), mcq('2')]);
    const change = {
      text: 'New text',
      parent_label: 'p',
      word_limit: 9,
      expects_diagram: true,
      assess_language: true,
      tags: { a: 1 },
      external_id: 'e',
    };
    const material = { rubric: { criteria: [{ name: 'a', marks: 2 }] }, model_answer: 'New' };
    expect(await edit(exam.id, idOf(exam, '1'), { ...change, ...material })).toMatchObject({
      ...change,
      ...material,
    });
    expect(await edit(exam.id, idOf(exam, '2'), change)).toMatchObject(change);
    expect((await readExam(exam.id)).rubric.version).toBe(2);
  });

  const frozen: [string, string, object][] = [
    ['label', '1', { label: '1x' }],
    ['section', '1', { section: 'B' }],
    ['marks', '1', { max_marks: 2 }],
    ['negative marks', '1', { negative_marks: 1 }],
    [
      'options',
      '1',
      {
        options: [
          { label: 'A', text: 'One' },
          { label: 'B', text: 'Two' },
        ],
      },
    ],
    ['key', '1', { correct_options: ['A'] }],
    ['answer', '2', { answer: 25 }],
    ['marks of a long answer', '3', { max_marks: 3, rubric: { criteria: [{ name: 'a', marks: 3 }] } }],
    ['marks, though the rest of the body is wrong', '1', { max_marks: -1, colour: 'red' }],
  ];
  test.each(frozen)('changing the %s answers 409 conflict', async (_name, label, change) => {
    const exam = await opened([mcq('1'), numeric('2'), longAnswer('3')]);
    await refusedEdit(exam.id, idOf(exam, label), { text: 'New text', ...change }, 409, 'conflict');
  });

  test('a frozen field with its current value is not a change', async () => {
    const exam = await opened(everyType);
    const listed = await list(exam.id);
    for (const [index, question] of everyType.entries()) {
      const { type: _type, ...same } = question;
      const edited = await edit(exam.id, listed[index]?.id ?? '', { ...same, text: `New ${index}` });
      expect(edited.text).toBe(`New ${index}`);
    }
  });

  test('deleting a question answers 409 conflict', async () => {
    const exam = await opened([mcq('1')]);
    const path = `/exams/${exam.id}/questions/${idOf(exam, '1')}`;
    await refused(exam.id, () => tenant.api.delete(path), 409, 'conflict');
  });
});

describe('DELETE of a question', () => {
  test('answers {id, deleted: true}, and removes the question from the exam and its list', async () => {
    const exam = await draft([mcq('1', { section: 'X' }), longAnswer('2', { section: 'Y' }), mcq('3')]);
    const id = idOf(exam, '2');
    expect(await remove(exam.id, id)).toEqual({ id, deleted: true });
    const after = await readExam(exam.id);
    expect(after.questions.map(({ label }) => label)).toEqual(['1', '3']);
    expect(after).toMatchObject({ question_count: 2, total_marks: 2, paper_max: 2 });
    expect(after.sections.map(({ name }) => name)).toEqual(['X']);
    expect(after.rubric.questions_with_rubric + after.rubric.questions_without_rubric).toBe(0);
    const path = `/exams/${exam.id}/questions/${id}`;
    await refused(exam.id, () => tenant.api.delete(path), 404, 'not_found');
  });

  test('a type is changed by deleting and adding the question, which gets the same label at the end', async () => {
    const exam = await draft([mcq('1'), mcq('2')]);
    await remove(exam.id, idOf(exam, '1'));
    await add(exam.id, [longAnswer('1')]);
    expect((await list(exam.id)).map(({ label, type }) => `${label} ${type}`)).toEqual([
      '2 mcq_single',
      '1 long_answer',
    ]);
  });

  test('declared sections stay without questions', async () => {
    const exam = await draft([mcq('1')], { sections: [{ name: 'Only', order: 1 }] });
    await remove(exam.id, idOf(exam, '1'));
    expect(await readExam(exam.id)).toMatchObject({
      question_count: 0,
      total_marks: 0,
      sections: [{ name: 'Only' }],
    });
  });
});
