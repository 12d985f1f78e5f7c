import { readFileSync } from 'node:fs';
import { distance } from 'fastest-levenshtein';
import { describe, expect, test } from 'vitest';
import englishWords from 'word-list';
import { createLexicon } from './lexicon.ts';

const english = new Set(readFileSync(englishWords, 'utf8').split('\n'));

/** A network that finds each edit less probable by `cost`; the default lets any near word of the paper pass. */
const choose = (read: string, paper: string, cost = 1): string =>
  createLexicon([paper], english).choose(
    read,
    (text) => -cost * distance(text.toLowerCase(), read.toLowerCase()),
  );

describe('a misread word becomes a word of the paper', () => {
  test.each([
    ['photosyuthesis', 'Explain photosynthesis.', 'photosynthesis'],
    ['Chlorophyil,', 'Keywords: chlorophyll', 'Chlorophyll,'],
    ['(EVAPORATLON)', 'evaporation of water', '(EVAPORATION)'],
    ['lnsulin', 'Insulin lowers the sugar of blood', 'insulin'],
    ['reactlons', 'Which reaction, and which reactions?', 'reactions'],
  ])('%s in "%s"', (read, paper, taken) => expect(choose(read, paper)).toBe(taken));
});

describe('no word is invented', () => {
  test.each([
    ['is English', 'carrier', 'The barrier protects the cell.'],
    ['is English and its opposite is in the paper', 'decrease', 'The pressure must increase.'],
    ['is too far away', 'mitochondrla', 'photosynthesis and respiration'],
    ['is short', 'irn', 'The metal is iron.'],
    ['has a figure', 'photosynthes1s', 'photosynthesis'],
    ['is a formula', 'NaHCO', 'NaHCo and sodium'],
    ['is denied', 'unstabel', 'The compound is stable.'],
    ['is denied in the paper', 'stabel', 'The compound is unstable.'],
    ['may be one of two words that are alike', 'miiosis', 'Compare mitosis and meiosis.'],
    ['is nearer to an English word', 'meosis', 'Describe mitosis.'],
    ['is a unit', 'joulee', 'Give the energy in joule.'],
    ['is an abbreviation in the paper', 'nadphh', 'What does NADPH do?'],
  ])('where it %s: %s', (_why, read, paper) => expect(choose(read, paper)).toBe(read));

  test('the network is asked about 20 words of a paper at most, and about none for a word without end', () => {
    const ending = (at: number) => String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26));
    const paper = Array.from({ length: 500 }, (_, at) => `photosynthesi${ending(at)}`).join(' ');
    const asked: string[] = [];
    const score = (text: string) => {
      asked.push(text);
      return 0;
    };
    createLexicon([paper], english).choose('photosynthezzz', score);
    // The words of the paper, and the one that was read.
    expect(asked.length).toBeLessThanOrEqual(21);
    expect(createLexicon([paper], english).choose('x'.repeat(400), score)).toBe('x'.repeat(400));
    expect(asked.length).toBeLessThanOrEqual(21);
  });

  test('the network must find the word of the paper nearly as probable', () => {
    expect(choose('photosyuthesis', 'photosynthesis', 3.9)).toBe('photosynthesis');
    expect(choose('photosyuthesis', 'photosynthesis', 4.1)).toBe('photosyuthesis');
  });
});
