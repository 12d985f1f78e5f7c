import { describe, expect, test } from 'vitest';
import { readGraderSettings } from './grader.ts';

const read = (more: Record<string, string>) => readGraderSettings({ OPENAI_API_KEY: 'sk-x', ...more });

describe('the grader of an environment', () => {
  test('without a key it is the baseline, with one a model with second looks for doubtful answers', () => {
    expect(readGraderSettings({}).grader).toEqual({ provider: 'baseline' });
    expect(read({}).grader).toEqual({
      provider: 'openai',
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'sk-x',
      model: 'gpt-4.1',
      callTimeoutSeconds: 120,
      output: 'json_schema',
      outputLimit: 'max_completion_tokens',
      imageDetail: 'high',
      sendPromptCacheKey: false,
      secondLook: { when: 'doubtful', maxCharacters: 6000 },
    });
  });

  test('optional request fields are passed on only if they are set', () => {
    const set = {
      GRADER_MAX_OUTPUT_TOKENS: '4096',
      GRADER_REASONING_EFFORT: 'low',
      GRADER_SEED: '7',
      GRADER_SERVICE_TIER: 'flex',
      GRADER_PROMPT_CACHE_KEY: 'true',
    };
    expect(read(set).grader).toMatchObject({
      maxOutputTokens: 4096,
      reasoningEffort: 'low',
      seed: 7,
      serviceTier: 'flex',
      sendPromptCacheKey: true,
    });
  });

  test('a confidence table is passed on without its spaces', () => {
    expect(read({ CONFIDENCE_TABLE: '0:0.31, 0.5:0.55, 1:0.9' }).grader).toMatchObject({
      confidenceTable: '0:0.31,0.5:0.55,1:0.9',
    });
  });

  test.each([
    ['one point', '0:0.5'],
    ['a malformed point', '0:0.1,0.5'],
    ['an extra comma', '0:0.1,1:0.5,'],
    ['points out of order', '0.5:0.1,0.2:0.5'],
    ['two values at one point', '0:0.1,0:0.5'],
    ['a value that falls', '0:0.5,1:0.4'],
    ['more than 1', '0:0.5,1:1.1'],
    ['below 0', '-0.5:0,1:1'],
    ['another way of writing numbers', '0:1e-1,1:.9'],
  ])('a confidence table of %s is refused, naming the variable', (_, table) => {
    expect(() => read({ CONFIDENCE_TABLE: table })).toThrow(/CONFIDENCE_TABLE/);
  });

  test.each([
    ['GRADER_OUTPUT', 'xml'],
    ['GRADER_OUTPUT_LIMIT', 'max'],
    ['GRADER_MAX_OUTPUT_TOKENS', '99'],
    ['GRADER_REASONING_EFFORT', 'huge'],
    ['GRADER_SEED', '-1'],
    ['GRADER_SERVICE_TIER', 'slow'],
    ['GRADER_PROMPT_CACHE_KEY', 'yes'],
    ['GRADER_IMAGE_DETAIL', 'medium'],
    ['SECOND_LOOK', 'sometimes'],
    ['SECOND_LOOK_CHARACTERS', '-1'],
    ['MODEL_PRICES', '{"m": {"input": -1, "output": 1}}'],
    ['MODEL_PRICES', 'cheap'],
  ])('%s=%s is refused, naming the variable', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(new RegExp(name));
  });
});
