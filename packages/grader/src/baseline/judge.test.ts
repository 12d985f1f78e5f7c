import { describe, expect, test } from 'vitest';
import type { JudgeRequest } from '../grader.ts';
import { judgeLexically } from './judge.ts';

const exam = { subject: 'Biology', level: 'school', board: null, class: '10', instructions: null };

function request(
  question: Partial<JudgeRequest['question']>,
  text: string,
  legibility: number | null = null,
) {
  const box = { x: 0.1, y: 0.2, width: 0.8, height: 0.2 };
  return {
    exam,
    question: {
      label: '3',
      type: 'long_answer',
      text: 'Explain photosynthesis.',
      maxMarks: 4,
      options: [],
      correctOptions: [],
      answer: null,
      modelAnswer: null,
      partialMarking: null,
      criteria: [],
      ...question,
    },
    answer: { text, legibility, blocks: legibility === null ? [] : [{ page: 2, box, text }] },
  } satisfies JudgeRequest;
}

const keywords = (...words: string[]) => [{ name: 'Process', marks: 4, keywords: words, guidance: null }];

describe('7 the baseline marks by words', () => {
  test.each<[string, string[], string, number]>([
    ['all keywords', ['sunlight', 'chlorophyll'], 'Chlorophyll catches the sunlight.', 4],
    ['half of them', ['sunlight', 'chlorophyll'], 'It needs sunlight.', 2],
    ['none', ['sunlight', 'chlorophyll'], 'Cells divide.', 0],
    ['other forms of the word', ['plants', 'releasing oxygen'], 'A plant releases oxygen.', 4],
    ['a phrase, its words apart', ['carbon dioxide'], 'They take in dioxide of carbon.', 4],
    ['a phrase, its words far apart', ['carbon dioxide'], `carbon ${'word '.repeat(30)} dioxide`, 0],
    ['a keyword denied', ['sunlight'], 'It does not need sunlight.', 0],
    ['a denial in another sentence', ['sunlight'], 'It is not slow. Sunlight drives it.', 4],
    ['a denial that is asked for', ['no oxygen'], 'It works with no oxygen.', 4],
    ['a denial that is asked for and missing', ['no oxygen'], 'It works with oxygen.', 0],
    ['the same number', ['9.8'], 'g is 9.80 m/s', 4],
    ['another number', ['9.8'], 'g is 98 m/s', 0],
    ['nothing at all', ['sunlight'], '', 0],
  ])('%s', (_, words, text, awarded) => {
    expect(judgeLexically(request({ criteria: keywords(...words) }, text)).awarded).toBe(awarded);
  });

  test('2.3 without partial marking a criterion met in part earns nothing', () => {
    const question = { criteria: keywords('sunlight', 'chlorophyll'), partialMarking: false };
    expect(judgeLexically(request(question, 'It needs sunlight.')).awarded).toBe(0);
    expect(judgeLexically(request(question, 'Sunlight and chlorophyll.')).awarded).toBe(4);
  });

  test('without keywords the model answer is compared with', () => {
    const modelAnswer = 'Plants make glucose from carbon dioxide and water, using sunlight.';
    const good = judgeLexically(
      request({ modelAnswer }, 'Plants use sunlight to turn carbon dioxide and water to glucose.'),
    );
    const poor = judgeLexically(request({ modelAnswer }, 'Plants are green.'));
    expect(good.awarded).toBe(4);
    expect(poor.awarded).toBeLessThan(1.5);
  });

  test('with neither rubric nor model answer nothing is invented', () => {
    const judgement = judgeLexically(request({}, 'Plants make glucose.'));
    expect(judgement.awarded).toBe(0);
    expect(judgement.feedback).toContain('neither a rubric nor a model answer');
  });

  test('2.7 every result is below the review line, says who made it and is made alike each time', () => {
    const perfect = request({ criteria: keywords('sunlight') }, 'Sunlight.', 1);
    const judgement = judgeLexically(perfect);
    expect(judgement.confidence).toBeLessThan(0.6);
    expect(judgement.reviewReasons).toEqual(['low_confidence', 'baseline_grader']);
    expect(judgeLexically(perfect)).toEqual(judgement);
  });

  test('feedback and reasons name what was found and what was missing, in the words of the rubric', () => {
    const judgement = judgeLexically(
      request({ criteria: keywords('sunlight', 'chlorophyll') }, 'It needs sunlight.'),
    );
    expect(judgement.feedback).toContain('Found: sunlight. Missing: chlorophyll.');
    expect(judgement.criteria[0]).toMatchObject({
      evidence: 'sunlight',
      reason: 'Found: sunlight. Missing: chlorophyll.',
    });
  });

  test('a copy gets annotations, a typed answer none', () => {
    const criteria = keywords('sunlight', 'chlorophyll');
    const copy = judgeLexically(request({ criteria }, 'It needs sunlight.', 0.9));
    expect(copy.annotations).toMatchObject([
      { page: 2, kind: 'mark', text: 'Q3  2/4' },
      { page: 2, kind: 'comment' },
    ]);
    expect(judgeLexically(request({ criteria }, 'It needs sunlight.')).annotations).toEqual([]);
  });
});

describe('3.17 objective answers on copies are decided by the key', () => {
  const options = ['A', 'B', 'C'].map((label) => ({ label, text: `choice ${label}` }));

  test.each<[string, Partial<JudgeRequest['question']>, string, number]>([
    ['the right option', { type: 'mcq_single', options, correctOptions: ['B'] }, '(b)', 4],
    ['another option earns 0, never less', { type: 'mcq_single', options, correctOptions: ['B'] }, 'A', 0],
    ['the exact set', { type: 'mcq_multi', options, correctOptions: ['A', 'C'] }, 'A, C', 4],
    ['a part of the set', { type: 'mcq_multi', options, correctOptions: ['A', 'C'] }, 'A', 0],
    ['a value behind its label', { type: 'numeric', answer: 9.8 }, 'Q3. g = 9.80 m/s', 4],
    ['another value', { type: 'numeric', answer: 9.8 }, '9.9', 0],
    ['a word', { type: 'one_word', answer: 'Mitochondria' }, 'Ans: mitochondria.', 4],
  ])('%s', (_, question, text, awarded) => {
    const judgement = judgeLexically(request(question, text, 1));
    expect(judgement.awarded).toBe(awarded);
    expect(judgement.confidence).toBeLessThan(0.6);
    expect(judgement.reviewReasons).toContain('low_confidence');
  });
});
