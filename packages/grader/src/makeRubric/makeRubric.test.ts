import { afterEach, expect, test } from 'vitest';
import { closedAfterTests, startModelServer } from '@evaluation/test-services';
import { createGrader } from '../createGrader.ts';
import { exam, optionsFor, within } from '../../test/requests.ts';

const server = closedAfterTests(await startModelServer());
const grader = closedAfterTests(await createGrader(optionsFor(server.baseUrl)));
afterEach(() => server.reset());

const question = { label: '3(b)', text: 'Why is the sky blue?', maxMarks: 2.5 };
const criterion = { name: 'Scattering', marks: 5, keywords: ['Rayleigh'], guidance: 'Names the scattering.' };

test('a rubric is made from the question and the exam context', async () => {
  const { value, evidence, usage } = await grader.makeRubric({ exam, question }, within(10_000));
  expect(value).toEqual([
    { name: 'Claim', marks: 1.5, keywords: [], guidance: 'What question 3(b) asks for.' },
    { name: 'Reason', marks: 1, keywords: [], guidance: 'What question 3(b) asks for.' },
  ]);
  expect(usage.calls).toBe(1);
  expect(evidence).toMatchObject([{ call: 'make_rubric', promptVersion: 'make_rubric/1', refused: [] }]);
  const asked = JSON.stringify(server.calls[0]?.body['messages']);
  for (const given of ['Why is the sky blue?', 'Biology', 'CBSE', 'Accept any sensible wording.', '2.5']) {
    expect(asked).toContain(given);
  }
});

test('a model that writes marks into the guidance is asked to repair it', async () => {
  const refused = { criteria: [{ ...criterion, guidance: 'Award 2 marks for naming it.' }] };
  server.behave([
    { times: 1, behaviour: { kind: 'content', content: refused } },
    { behaviour: { kind: 'content', content: { criteria: [criterion] } } },
  ]);
  const { value, problems, evidence } = await grader.makeRubric({ exam, question }, within(10_000));
  expect(value).toEqual([{ ...criterion, marks: 2.5 }]);
  expect(problems).toEqual(['criterion marks were scaled to add up in half steps']);
  expect(evidence[0]?.refused).toEqual([JSON.stringify(refused)]);
  expect(JSON.stringify(server.calls[1]?.body['messages'])).toContain(
    'Criterion 1: the guidance gives marks in figures.',
  );
});
