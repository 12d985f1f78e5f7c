import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { ExamCreate } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { statementsOf } from '@evaluation/test-services';
import { newTestCore } from '../../test/newTestCore.ts';
import { createExam } from './createExam.ts';
import { listExams } from './listExams.ts';

const { services, newInstitute, close } = await newTestCore();
afterAll(close);

let actor: Actor;
beforeEach(async () => {
  const institute_id = await newInstitute();
  actor = { institute_id, key_id: randomUUID(), scopes: ['evaluation:read', 'evaluation:write'] };
});

const paper = (questions: number, candidates: number): ExamCreate => ({
  title: 'Large',
  mode: 'typed',
  open: true,
  sections: Array.from({ length: 20 }, (_, order) => ({ name: `Section ${order}`, order })),
  questions: Array.from({ length: questions }, (_, index) => ({
    label: String(index),
    section: `section ${index % 20}`,
    ...(index % 4 === 0
      ? {
          type: 'mcq_single',
          text: 'Which?',
          max_marks: 1,
          options: Array.from({ length: 26 }, (_unused, option) => ({ label: `${option}`, text: 'Text' })),
          correct_options: ['3'],
        }
      : {
          type: 'long_answer',
          text: 'Why? '.repeat(200),
          max_marks: 10,
          model_answer: 'Because. '.repeat(200),
          rubric: {
            criteria: Array.from({ length: 10 }, (_unused, criterion) => ({
              name: `Criterion ${criterion}`,
              marks: 1,
              keywords: ['one', 'two', 'three'],
              guidance: 'Give credit for the idea, in whatever words it comes, with at least 2 examples.',
            })),
          },
        }),
  })),
  candidates: Array.from({ length: candidates }, (_, index) => ({
    external_id: `candidate-${index}`,
    name: `Name ${index}`,
    roll_number: String(index),
    metadata: { house: 'red' },
  })),
});

test('an exam of 200 questions with rubrics and 2000 candidates takes as many statements as one of four', async () => {
  // Warm-up: a new connection sends more statements, because it prepares each one at its first use.
  await createExam(services, actor, paper(4, 1));
  const small = await statementsOf(services.settings.database.url, () =>
    createExam(services, actor, paper(4, 1)),
  );
  const large = await statementsOf(services.settings.database.url, () =>
    createExam(services, actor, paper(200, 2000)),
  );
  expect(large).toBe(small);
  expect(large).toBeLessThanOrEqual(25);
});

test('a page of the list takes the same number of statements whatever exams are on it', async () => {
  await createExam(services, actor, paper(4, 0));
  const one = await statementsOf(services.settings.database.url, () => listExams(services, actor, {}));
  for (let index = 0; index < 10; index += 1) await createExam(services, actor, paper(8, 0));
  expect(await statementsOf(services.settings.database.url, () => listExams(services, actor, {}))).toBe(one);
  expect(one).toBeLessThanOrEqual(8);
});
