import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { withoutPrint } from './withoutPrint.ts';

/** One block. */
const own = (text: string, asked: string): string => withoutPrint([text], asked).join();
const question = 'What do plants need for photosynthesis, and what do they make? (4 marks)';

describe('the printed question and the paper’s furniture are not the answer', () => {
  test.each<[what: string, text: string, left: string]>([
    ['the question on one line', `${question}\nSunlight and water`, 'Sunlight and water'],
    [
      'the question over two lines, misread',
      'What do plonts need for photosynthesls,\nand what do they make?\nSunlight',
      'Sunlight',
    ],
    ['nothing but the question', question, ''],
    ['marks, page number and footer', 'Sunlight\n[4 marks]\nPage 6 of 9\nEnd of Task', 'Sunlight'],
    ['marks at the end of a line', 'Sunlight (4 marks)', 'Sunlight'],
  ])('%s', (_, text, left) => {
    expect(own(text, question)).toBe(left);
  });
});

test('a question of three words is left out where it stands whole', () => {
  expect(own('Capital of France?\nROME', 'Capital of France?')).toBe('ROME');
  expect(own('Capital of Italy\nROME', 'Capital of France?')).toBe('Capital of Italy\nROME');
});

test('the question may end in the first of several blocks', () => {
  expect(withoutPrint([question, 'Sunlight'], question)).toEqual(['', 'Sunlight']);
});

describe('the printed options of a question', () => {
  const asked = 'Which planet is the red planet?';
  const options = ['Venus', 'Mars', 'Saturn', 'Earth'].map((text, at) => ({
    label: 'ABCD'.charAt(at),
    text,
  }));
  const printed = 'A Venus B Mars C Saturn D Earth';

  test.each<[what: string, text: string, left: string]>([
    ['beside the question', `${asked} ${printed}\nB`, 'B'],
    ['below the question', `${asked}\nA Venus  B Mars\nC Saturn  D Earth\nB Mars`, 'B Mars'],
    ['and nothing else', `${asked}\n${printed}`, ''],
  ])('%s are not the answer', (_, text, left) => {
    expect(withoutPrint([text], asked, options)).toEqual([left]);
  });

  test.each<[what: string, text: string, left: string]>([
    ['below the question', `${asked}\nB Mars`, 'B Mars'],
    ['on the line of the question', `${asked} B Mars`, `${asked} B Mars`],
    ['without the question', 'B Mars', 'B Mars'],
    ['among others, without the question', printed, printed],
  ])('one chosen option %s stays', (_, text, left) => {
    expect(withoutPrint([text], asked, options)).toEqual([left]);
  });
});

describe('what a candidate wrote stays', () => {
  test.each<[what: string, text: string, asked?: string]>([
    ['an answer that begins with words of the question', 'Plants need sunlight and water for photosynthesis'],
    ['an answer that is part of a short question', 'true', 'True or false: the earth is flat.'],
    ['an answer in words of the question', 'carbon dioxide', 'Is it oxygen or carbon dioxide?'],
    ['the words of the question in the middle', `Sunlight.\n${question}`],
    ['a number', '42', 'What is 6 × 7?'],
    ['an answer that takes the question up', 'The two laws of heat are:', 'State the two laws of heat.'],
    ['an answer that begins like the question', 'What do plants need? Sunlight'],
    ['a sentence about marks', 'He got 4 marks of 5'],
  ])('%s', (_, text, asked = question) => {
    expect(own(text, asked)).toBe(text.replace(/ \(4 marks\)$/u, ''));
  });

  test('no line is added or changed but for marks at its end, whatever is read', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.string({ maxLength: 200 }),
        (text, asked) => {
          const lines = text.split('\n');
          const left = own(text, asked);
          for (const line of left === '' ? [] : left.split('\n')) {
            expect(lines.some((whole) => whole.startsWith(line))).toBe(true);
          }
        },
      ),
    );
  });
});
