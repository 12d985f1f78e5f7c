import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { expect, test } from 'vitest';
import { system } from '../readPages/prompt.ts';
import { createMaterial } from './material.ts';

const counted = (inputTokens: number, cachedInputTokens = 0) => ({ inputTokens, cachedInputTokens });
const text = (content: string): ChatCompletionMessageParam[] => [{ role: 'user', content }];
const picture = { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AAAA' } } as const;
const reading = (pictures: number): ChatCompletionMessageParam[] => [
  { role: 'system', content: system },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Transcribe these pages of one copy.' },
      ...Array.from({ length: pictures }, () => picture),
    ],
  },
];
/** 40,670 characters, 8,300 words. */
const prose = 'The plant makes sugar with the light of the sun. '.repeat(830);

test('pages without counted tokens are lost; the smallest count of a model with vision is not', () => {
  // Tokens of the words alone.
  for (const pictures of [1, 2, 4])
    expect(createMaterial().lost(reading(pictures), counted(790))).toBe('pictures');
  // 85 tokens for a picture, the fewest that a provider charges.
  for (const pictures of [1, 2, 4])
    expect(createMaterial().lost(reading(pictures), counted(800 + 85 * pictures))).toBeNull();
});

test('a count of a context of 4,096 tokens, or of another multiple of 1,024, means a cut prompt', () => {
  expect(createMaterial().lost(text(prose), counted(4096))).toBe('text');
  expect(createMaterial().lost(text(prose), counted(8192))).toBe('text');
  expect(createMaterial().lost(text(prose), counted(9300))).toBeNull();
});

test('no text of a candidate makes a whole prompt look cut', () => {
  const material = createMaterial();
  const dense: [string, number][] = [
    ['a'.repeat(50_000), 800],
    [`${' '.repeat(50_000)}.`, 400],
    ['.'.repeat(50_000), 800],
    ['\n'.repeat(50_000), 400],
    ['internationalization '.repeat(2400), 2400],
    ['光合作用'.repeat(5000), 9000],
    ['a '.repeat(25_000), 25_000],
  ];
  for (const [words, tokens] of dense)
    expect(material.lost(text(words), counted(tokens)), words.slice(0, 9)).toBeNull();
});

test('a count that a preflight of the same length disproved is ignored; a shorter preflight proves nothing', () => {
  const material = createMaterial();
  expect(material.lost(text(prose), counted(500))).toBe('text');
  expect(material.longestLost).toBe(prose.length);
  material.shown('text', 24_000);
  expect(material.lost(text(prose), counted(500))).toBe('text');
  material.shown('pictures', 0);
  expect(material.lost(reading(1), counted(790))).toBe('pictures');
  material.shown('text', prose.length);
  expect(material.lost(text(prose), counted(500))).toBeNull();
});
