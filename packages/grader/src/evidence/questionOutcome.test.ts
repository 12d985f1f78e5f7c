import { markByKey } from '@evaluation/rules';
import { expect, test } from 'vitest';
import { markedQuestion } from '../../test/markedQuestion.ts';
import { failedQuestion, gradedQuestion } from './questionOutcome.ts';

const question = markedQuestion('1', { type: 'one_word', answer: 'Insulin' });

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
