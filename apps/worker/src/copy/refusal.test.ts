import type { PageReading, ReadBlock } from '@evaluation/rules/grading-model';
import { describe, expect, test } from 'vitest';
import { refusalOf } from './refusal.ts';

const block = (text: string, more: Partial<ReadBlock> = {}): ReadBlock => ({
  label: null,
  continues: false,
  text,
  crossedOut: false,
  box: { x: 0, y: 0, width: 1, height: 1 },
  ...more,
});
const page = (text: string, more: Partial<PageReading> = {}): PageReading => ({
  page: 1,
  legibility: 0.9,
  language: 'en',
  blocks: [block(text)],
  ...more,
});
const codeOf = (...pages: PageReading[]) => refusalOf(pages)?.reason ?? null;

const ENGLISH = 'Plants make glucose from water and carbon dioxide with the help of light. '.repeat(3);
const HINDI = 'प्रकाश संश्लेषण पौधों में होता है और इससे ऑक्सीजन निकलती है। '.repeat(2);

describe('copy_unreadable: nothing could be read', () => {
  test.each([
    ['no pages', []],
    ['no blocks', [page('', { blocks: [] })]],
    ['labels alone', [page('', { blocks: [block('', { label: 'Q1' })] })]],
    ['only marks for what could not be read', [page('[illegible] [Illegible words]\n[unreadable]')]],
    ['dots and dashes', [page('... -- . ~')].map((each) => ({ ...each, blocks: [block('... -- .')] }))],
    ['words that the reader says it could not read', [page('Plants', { legibility: 0 })]],
  ])('%s', (_, pages) => {
    expect(codeOf(...pages)).toBe('nothing_readable');
  });

  test.each([
    ['one word among what could not be read', page('[illegible] glucose [illegible]')],
    ['a number', page('42')],
    ['a tick', page('✓')],
    ['a drawing', page('[diagram: a lens]')],
    ['struck-out writing', page('', { blocks: [block('old', { crossedOut: true })] })],
  ])('not for %s', (_, one) => {
    expect(codeOf(one)).toBeNull();
  });
});

test('a long text of unclosed brackets is checked quickly', () => {
  const text = (piece: string) => piece.repeat(30_000 / piece.length);
  const pages = ['[', '[illegible', '[ ', '[a]['].map((piece) => page(text(piece)));
  const before = process.cpuUsage();
  codeOf(...pages);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
});

describe('language_not_supported: the copy is not in English', () => {
  test('is decided by the number of letters, not of pages: headings in another language do not count', () => {
    const heading = page('विज्ञान', { language: 'other' });
    expect(codeOf(heading, heading, heading, page(ENGLISH))).toBeNull();
    const french = page('La photosynthèse produit du glucose. '.repeat(12), { language: 'other' });
    expect(codeOf(french, page('Section A'), page('Section B'))).toBe('other_language');
  });

  test('applies to more than 20% Devanagari letters, regardless of the model', () => {
    expect(codeOf(page(HINDI))).toBe('other_language');
    expect(codeOf(page(ENGLISH), page(HINDI))).toBe('other_language');
    expect(codeOf(page(ENGLISH), page('गुरुत्वाकर्षण'))).toBeNull();
  });

  test('applies to a majority of letters of another script, regardless of the model', () => {
    expect(codeOf(page('আলোকসংশ্লেষণ উদ্ভিদে ঘটে'))).toBe('other_language');
    expect(codeOf(page(`${'α + β = γ, λ, μ, θ '.repeat(10)} so the sum is zero`))).toBeNull();
  });

  test('a page with only a remark about foreign text counts like an average page', () => {
    const remarked = page('[text in Tamil]', { language: 'other' });
    expect(codeOf(remarked)).toBe('other_language');
    expect(codeOf(remarked, remarked, page(ENGLISH))).toBe('other_language');
    expect(codeOf(remarked, page(ENGLISH), page(ENGLISH))).toBeNull();
  });

  test('crossed-out writing and remarks about drawings do not count', () => {
    const struck = page('', { blocks: [block(HINDI, { crossedOut: true }), block(ENGLISH)] });
    expect(codeOf(struck)).toBeNull();
    expect(codeOf(page(`${ENGLISH}[diagram: a plant, labelled "${HINDI}"]`))).toBeNull();
  });
});
