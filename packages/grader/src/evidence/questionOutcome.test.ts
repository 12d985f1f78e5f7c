import { markByKey } from '@evaluation/rules';
import { expect, test } from 'vitest';
import type { MarkedQuestion } from '@evaluation/rules/grading-model';
import { failedQuestion, gradedQuestion } from './questionOutcome.ts';

const question: MarkedQuestion = {
  id: '2f0c1b52-7f52-4c53-9d38-2d9f7c6a1b11',
  label: '1',
  section: 'A',
  type: 'one_word',
  text: 'Which word?',
  max_marks: 5,
  negative_marks: 0,
  options: [],
  correct_options: [],
  answer: 'Insulin',
  model_answer: null,
  rubric: null,
};

test('the extracted answer of a typed answer has no characters that change the direction of writing', () => {
  const text = 'Marks: \u202E0/5\u202C \u2067now\u2069';
  const given = { text, legibility: null, blocks: [] };
  const judgement = {
    awarded: 0,
    confidence: 1,
    criteria: [],
    annotations: [],
    feedback: '',
    reviewReasons: [],
  };
  const [byKey] = markByKey([question], [{ question_id: question.id, option_labels: [], text }]).results;
  for (const outcome of [
    gradedQuestion(question, given, judgement),
    failedQuestion(question, given, false),
    byKey,
  ])
    expect(outcome?.extracted_answer).toBe('Marks: 0/5 now');
});
