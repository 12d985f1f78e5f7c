import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { alignAnswersCall } from './alignAnswers/alignAnswers.ts';
import { DEFAULT_TABLE, readTable } from './confidenceTable.ts';
import type { AlignRequest, JudgeRequest, PageImage } from './grader.ts';
import { judgeByCriteriaCall, readObjectiveCall } from './judgeAnswer/judgeAnswer.ts';
import { objectiveKey } from './judgeAnswer/objective.ts';
import type { ModelCall } from './modelCall.ts';
import {
  alignRequest,
  exam,
  longQuestion,
  optionQuestion,
  typedAnswer,
  writtenAnswer,
} from '../test/requests.ts';
import { askedIn } from './openai/output.ts';
import { readPagesCall } from './readPages/readPages.ts';
import { strictJsonSchema } from './strictSchema.ts';

/*
 * Length of the common beginning of calls of one kind, in tokens of o200k. Providers cache prompts that begin alike
 * from 1,024 tokens on. docs/operate/model.md#prompt-caches has a table of these figures.
 */

const THRESHOLD = 1024;
const table = readTable(DEFAULT_TABLE);

type Asked = Pick<ModelCall<unknown, unknown>, 'name' | 'system' | 'user' | 'schema'>;

/** The text of a call in the provider's order: the schema before the system message (OpenAI), or at its end. */
const promptOf = (call: Asked, output: 'json_schema' | 'json_object' = 'json_schema'): string => {
  const user = call.user.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  const schema = { name: call.name, schema: strictJsonSchema(call.schema) };
  const { messages, response_format } = askedIn(
    output,
    [
      { role: 'system', content: call.system },
      { role: 'user', content: user },
    ],
    schema,
  );
  return JSON.stringify([...(output === 'json_schema' ? [response_format] : []), ...messages]);
};

const commonStart = (one: string, other: string): string => {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return one.slice(0, at);
};

/** Tokens of the common beginning of two calls, and all tokens of the second. */
const measured = (one: Asked, other: Asked): { common: number; all: number } => {
  const [first, second] = [promptOf(one), promptOf(other)];
  return { common: countTokens(commonStart(first, second)), all: countTokens(second) };
};

const WORDS =
  'Plants take in light with the chlorophyll of their leaves and make glucose of water and carbon dioxide. ';
const answers: JudgeRequest['answer'][] = [writtenAnswer('Light.', 0.3), typedAnswer(WORDS.repeat(4))];

const longQuestionOf = (criteria: number): JudgeRequest['question'] =>
  longQuestion({
    text: 'Explain how a green plant makes its food, what it needs for that, and what becomes of the food.',
    maxMarks: 2 * criteria,
    criteria: Array.from({ length: criteria }, (_, index) => ({
      name: `Part ${index + 1} of the process`,
      marks: 2,
      keywords: ['glucose', 'chlorophyll'],
      guidance:
        'Names what is taken in and what is made of it, in any words. One of both is half of the marks.',
    })),
    modelAnswer: WORDS.repeat(2),
  });

const judging = (question: JudgeRequest['question'], look: 'first' | 'second' = 'first') =>
  answers.map((answer) => judgeByCriteriaCall({ exam, question, answer }, look, table));
const reading = () => {
  const key = objectiveKey(optionQuestion);
  if (key === null) throw new Error('an objective question has a key');
  return answers.map((answer) => readObjectiveCall({ exam, question: optionQuestion, answer }, key, table));
};
const paperOf = (questions: number): AlignRequest['questions'] =>
  Array.from({ length: questions }, (_, index) => ({
    number: index + 1,
    label: String(index + 1),
    section: 'A',
    type: 'long_answer',
    text: 'Explain how a green plant makes its food, what it needs for that, and what becomes of the food.',
  }));
const aligning = (questions: number) =>
  [alignRequest.pages, alignRequest.pages.slice(1)].map((pages) =>
    alignAnswersCall({ questions: paperOf(questions), pages }),
  );
const pageOf = (page: number): PageImage => ({
  page,
  file: 'page.jpg',
  width: 1,
  height: 1,
  state: 'written' as const,
});
const readingPages = (numbers: readonly number[]) =>
  readPagesCall(
    numbers.map((page) => ({ image: pageOf(page), turn: 0 })),
    null,
  );

describe('calls of one kind begin alike', () => {
  test.each<[string, Asked[]]>([
    ['a long answer', judging(longQuestionOf(2))],
    ['a second look', judging(longQuestionOf(2), 'second')],
    ['an objective answer', reading()],
    ['an alignment', aligning(2)],
  ])('all but the last part of %s are the same for all candidates', (_, calls) => {
    const [one, other] = calls;
    if (one === undefined || other === undefined) throw new Error('there are two calls');
    expect(one.system).toBe(other.system);
    expect(one.user.slice(0, -1)).toEqual(other.user.slice(0, -1));
    expect(strictJsonSchema(one.schema)).toEqual(strictJsonSchema(other.schema));
    for (const output of ['json_schema', 'json_object'] as const) {
      const [first, second] = [promptOf(one, output), promptOf(other, output)];
      const last = one.user.at(-1);
      if (last === undefined || !('text' in last)) throw new Error('the last part is a text');
      // The prompts are equal up to that part, apart from JSON punctuation.
      expect(commonStart(first, second).length).toBeGreaterThan(
        first.length - JSON.stringify(last.text).length - 4,
      );
    }
  });

  test('pages with equal numbers are requested in equal words', () => {
    expect(promptOf(readingPages([1, 2]))).toBe(promptOf(readingPages([1, 2])));
  });
});

describe('the part of a call that a provider may have cached', () => {
  const shareOf = ([one, other]: Asked[]) => {
    if (one === undefined || other === undefined) throw new Error('there are two calls');
    return measured(one, other);
  };

  test.each([1, 2, 3, 4, 6])('is most of a typed answer of 80 words to %d criteria', (criteria) => {
    const { common, all } = shareOf(judging(longQuestionOf(criteria)));
    expect(common / all).toBeGreaterThan(0.85);
    expect(common).toBeGreaterThanOrEqual(THRESHOLD);
  });

  test('is below the threshold for an objective answer', () => {
    const { common, all } = shareOf(reading());
    expect(common).toBeLessThan(THRESHOLD);
    expect(common / all).toBeGreaterThan(0.8);
  });

  test.each([
    [5, false],
    [20, true],
  ])('of an alignment to a paper of %d questions it reaches the threshold: %s', (questions, isReached) => {
    const { common } = shareOf(aligning(questions));
    expect(common >= THRESHOLD).toBe(isReached);
  });

  test('is the rules for reading pages, which reach the threshold', () => {
    const { common } = measured(readingPages([1, 2, 3, 4]), readingPages([5, 6, 7, 8]));
    expect(common).toBeGreaterThanOrEqual(THRESHOLD);
  });
});
