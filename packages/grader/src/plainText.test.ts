import { expect, test } from 'vitest';
import { plainText } from './plainText.ts';

test('text has no characters that would show it in another order', () => {
  const turning = [
    '061C',
    '200E',
    '200F',
    '202A',
    '202B',
    '202C',
    '202D',
    '202E',
    '2066',
    '2067',
    '2068',
    '2069',
  ];
  const characters = turning.map((code) => String.fromCodePoint(Number.parseInt(code, 16)));
  expect(plainText(`Well ${characters.join('')}done\u202E5/0\u202C.`, 100)).toBe('Well done5/0.');
});

test('letters of any script, joined signs, line breaks and tabs are kept', () => {
  const written = 'H\u2082O \u2192 ice\n\tक्षेत्र \u{1F469}\u200D\u{1F52C} مرحبا \u05E9';
  expect(plainText(written, 100)).toBe(written);
});

test('text has no control characters, no lone surrogates, and at most `maxLength` units', () => {
  expect(plainText('a\u0000b\u0007c\uD800', 100)).toBe('abc\uFFFD');
  expect(plainText('x'.repeat(11), 10)).toBe(`${'x'.repeat(9)}…`);
});
