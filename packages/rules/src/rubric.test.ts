import { describe, expect, test } from 'vitest';
import { hasMarkFigures } from './rubric.ts';

describe('2.3 rule 3: what counts as a mark figure', () => {
  test.each([
    'Give 2 marks for the diagram.',
    'Award 1 mark.',
    '1.5 marks for the formula',
    '.5 marks for the unit',
    '½ mark for the unit',
    '1½ marks for the working',
    '1/2 mark for the unit',
    'half a mark for the unit',
    'half mark for the unit',
    'One mark for each cause.',
    'two marks',
    'TWO MARKS',
    '2-mark answer',
    '3 points for the graph',
    '3 pts',
    '1 pt. for the unit',
    '1 1/2 marks',
    'for 1 point each',
    'Award 2½.',
    'marks: 2',
    'Mark = 1',
    'Marks - 2',
    'max 3',
    'Maximum of 2.',
    'max. 2, no more',
    'out of 5 marks',
    'a total of 4 marks',
    '(2m)',
    '[1 M]',
    'Deduct 0.5 for a missing unit',
    'award up to 2 for the reasons',
    'Worth 3.',
    'Give 1 for the formula and 1 for the answer',
    '+1 for the unit',
    '2 marks',
    '२ marks',
  ])('"%s" gives mark figures', (text) => {
    expect(hasMarkFigures(text)).toBe(true);
  });

  test.each([
    '',
    'Full marks only for the complete proof.',
    'No marks for a bare answer.',
    'Part marks for a correct method.',
    'Award marks for the method.',
    'Give a mark for the method even where the answer is wrong.',
    'At least 2 examples.',
    'Names 3 of the 4 points of the compass.',
    'Both points are needed.',
    'The two key points are cause and effect.',
    'Any 3 points from the text.',
    'The boiling point is 100 degrees.',
    'v = 60 cm and m = -2',
    'Must give 2 reasons.',
    'Needs 2 A with its unit.',
    'The height is at most 10 m.',
    'The Civil Code of 1804',
    'Question marks and 2 full stops are missing.',
    'All 4 points when they are in order',
    'f = +20 for the lens, u = -30 for the object',
    'Award for 2 correct rays.',
    'Maximum at x = 3 is shown.',
    'max 3 sentences',
    'Deduct nothing for spelling.',
    'Landmarks 1 and 2 are on the map.',
    'Karl Marx wrote 2 books.',
    'The Treaty was worth 2 years of peace.',
    '1 markedly different view',
  ])('"%s" does not', (text) => {
    expect(hasMarkFigures(text)).toBe(false);
  });

  test.each([' '.repeat(4000), '1'.repeat(4000), '1 '.repeat(2000), 'max '.repeat(1000), '½'.repeat(4000)])(
    'a text made to be slow to search (%#) is searched in no time',
    (text) => {
      const started = performance.now();
      for (let times = 0; times < 50; times += 1) hasMarkFigures(`1${text}-${text}x`);
      expect(performance.now() - started).toBeLessThan(1000);
    },
  );
});
