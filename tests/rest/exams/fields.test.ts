import { describe, expect, test } from 'vitest';
import { examsOf } from '../../harness/exams.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { problemsIn } from '../../harness/tenant.ts';

const { tenant } = await restSuite();
const { created, refused } = examsOf(tenant);

const draft = (change: object = {}): object => ({ title: 'Unit test', mode: 'typed', ...change });

describe('limits of the fields', () => {
  test.each([
    ['title', 255],
    ['external_ref', 128],
    ['subject', 120],
    ['board', 64],
    ['class', 32],
    ['instructions', 4000],
  ])('%s accepts %i characters, with an emoji as one, and not one more', async (field, max) => {
    const longest = '😀'.repeat(max);
    expect(await created(draft({ [field]: longest }))).toMatchObject({ [field]: longest });
    const error = await refused(draft({ [field]: `${longest}a` }), 422, 'validation_failed');
    expect(problemsIn(error)).toEqual([`${field}: too_long`]);
  });

  test.each([
    ['no title', { mode: 'typed' }, 'title: required'],
    ['an empty title', draft({ title: '' }), 'title: required'],
    ['a blank title', draft({ title: ' \n' }), 'title: required'],
    ['markup in the title', draft({ title: 'a <b>' }), 'title: invalid_characters'],
    ['a title that is a number', draft({ title: 7 }), 'title: invalid_type'],
    ['no mode', { title: 'a' }, 'mode: required'],
    ['a mode that is none', draft({ mode: 'oral' }), 'mode: invalid_value'],
    ['a level that is none', draft({ level: 'kindergarten' }), 'level: invalid_value'],
    ['a date that does not exist', draft({ conducted_on: '2026-02-29' }), 'conducted_on: invalid_value'],
    ['a date with a time', draft({ conducted_on: '2026-02-28T00:00:00Z' }), 'conducted_on: invalid_value'],
    ['a word for blind', draft({ blind: 'yes' }), 'blind: invalid_type'],
    ['an empty external_ref', draft({ external_ref: '' }), 'external_ref: required'],
    ['a language that is none', draft({ answer_language: 'fr' }), 'answer_language: invalid_value'],
    [
      'more than 20 sections',
      draft({ sections: Array.from({ length: 21 }, (_, order) => ({ name: `S${order}`, order })) }),
      'sections: too_long',
    ],
    [
      'markup in a section',
      draft({ sections: [{ name: '<A>', order: 1 }] }),
      'sections[0].name: invalid_characters',
    ],
    [
      'a long section',
      draft({ sections: [{ name: 'x'.repeat(65), order: 1 }] }),
      'sections[0].name: too_long',
    ],
    [
      'two sections of one name',
      draft({
        sections: [
          { name: 'Part A', order: 1 },
          { name: 'PART a', order: 2 },
        ],
      }),
      'sections[1].name: duplicate',
    ],
    [
      'more than 200 questions',
      typedExam(Array.from({ length: 201 }, (_, index) => mcq(String(index)))),
      'questions: too_long',
    ],
    [
      'more than 2000 candidates',
      draft({ candidates: Array.from({ length: 2001 }, (_, index) => ({ external_id: `c${index}` })) }),
      'candidates: too_long',
    ],
    [
      'a candidate named twice',
      draft({ candidates: [{ external_id: 'a' }, { external_id: 'b' }, { external_id: 'a' }] }),
      'candidates[2].external_id: duplicate',
    ],
  ])('%s is refused, and nothing is created', async (_name, body, problem) => {
    expect(problemsIn(await refused(body, 422, 'validation_failed'))).toEqual([problem]);
  });

  test('the maximum is accepted: 200 questions, 20 sections, 2000 candidates', async () => {
    const sections = Array.from({ length: 20 }, (_, order) => ({ name: `Section ${order}`, order }));
    const questions = Array.from({ length: 200 }, (_, index) =>
      longAnswer(String(index), { section: `section ${index % 20}` }),
    );
    const candidates = Array.from({ length: 2000 }, (_, index) => ({ external_id: `most-${index}` }));
    const exam = await created(typedExam(questions, { sections, candidates, open: true }));
    expect(exam).toMatchObject({ question_count: 200, total_marks: 400, status: 'open' });
    expect(exam.sections).toHaveLength(20);
    expect(exam.questions.map(({ label }) => label)).toEqual(questions.map(({ label }) => label));
  });
});

describe('languages and reserved features', () => {
  test.each(['answer_language', 'feedback_language'])(
    '%s hi answers language_not_supported',
    async (field) => {
      await refused(draft({ [field]: 'hi' }), 422, 'language_not_supported');
    },
  );

  test('choice groups answer feature_not_available, and an empty list is accepted', async () => {
    await refused(draft({ choice_groups: [{ choose: 1 }] }), 422, 'feature_not_available');
    expect((await created(draft({ choice_groups: [] }))).choice_groups).toEqual([]);
  });
});
