import { describe, expect, test } from 'vitest';
import { coreAndParents, labelCore, readLabel } from './labels.ts';
import type { LabelKind } from './labels.ts';

describe('readLabel() reads labels in the forms that candidates write', () => {
  test.each<[string, LabelKind, string, string]>([
    ['Q1 Photosynthesis is', 'strong', '1', 'Photosynthesis is'],
    ['Q.1 Photosynthesis', 'strong', '1', 'Photosynthesis'],
    ['Q. No. 12: text', 'strong', '12', 'text'],
    ['Question 3 - text', 'strong', '3', 'text'],
    ['Ques. 3) text', 'strong', '3', 'text'],
    ['Ans 3', 'strong', '3', ''],
    ['Ans. 3. The cell', 'strong', '3', 'The cell'],
    ['Answer 3: text', 'strong', '3', 'text'],
    ['Answer to Q. No. 3 : text', 'strong', '3', 'text'],
    ['A3. text', 'strong', '3', 'text'],
    ['Q2(a) text', 'strong', '2a', 'text'],
    ['Q2a The plant', 'strong', '2a', 'The plant'],
    ['Q.2 (b)(ii) text', 'strong', '2bii', 'text'],
    ['(Q4) text', 'strong', '4', 'text'],
    ['1. Photosynthesis', 'bare', '1', 'Photosynthesis'],
    ['1) text', 'bare', '1', 'text'],
    ['(1) text', 'bare', '1', 'text'],
    ['1: text', 'bare', '1', 'text'],
    ['5. 42', 'bare', '5', '42'],
    ['2(a) text', 'bare', '2a', 'text'],
    ['2 (a) text', 'bare', '2a', 'text'],
    ['2.(a) text', 'bare', '2', '(a) text'],
    ['2a) text', 'bare', '2a', 'text'],
    ['Ans 2) A) Lemon and C) Lime', 'strong', '2', 'A) Lemon and C) Lime'],
    ['3 - B', 'bare', '3', 'B'],
    ['3 (b)', 'bare', '3', '(b)'],
    ['3. B', 'bare', '3', 'B'],
    ['(a) text', 'part', 'a', 'text'],
    ['b) text', 'part', 'b', 'text'],
    ['(ii) text', 'part', 'ii', 'text'],
    ['3 . text', 'bare', '3', 'text'],
    ['Ans-4 text', 'strong', '4', 'text'],
    ['4)Plants need', 'bare', '4', 'Plants need'],
    ['① text', 'bare', '1', 'text'],
    ['|5| text', 'bare', '5', 'text'],
    ['a)What is meant', 'part', 'a', 'What is meant'],
    ['iii)The', 'part', 'iii', 'The'],
    ['Section B', 'section', 'sectionb', ''],
    ['SECTION - C :', 'section', 'sectionc', ''],
    ['Part II', 'section', 'partii', ''],
  ])('%s', (line, kind, core, rest) => {
    const label = readLabel(line);
    expect(label).toMatchObject({ kind, rest, continued: false });
    expect(labelCore(label?.written ?? '')).toBe(core);
  });

  test.each([
    ['3 (contd.) and so on', '3', 'and so on'],
    ['Q3 contd: and so on', '3', 'and so on'],
    ['Ans 3 (continued) and so on', '3', 'and so on'],
    ['Q. 2(a) cont. and so on', '2a', 'and so on'],
    ['(contd.) and so on', '', 'and so on'],
    ['Continued: and so on', '', 'and so on'],
  ])('"%s" is a continuation', (line, core, rest) => {
    const label = readLabel(line);
    expect(label).toMatchObject({ continued: true, rest });
    expect(labelCore(label?.written ?? '')).toBe(core);
  });

  test.each([
    ['Ql. text', '1'],
    ['Q| text', '1'],
    ['QI) text', '1'],
    ['Q,3 text', '3'],
    ['O1. text', '1'],
    ['0.1) text', null],
    ['ams 4: text', '4'],
    ['Answ 4: text', '4'],
  ])('"%s" is read as a label in spite of OCR noise', (line, core) => {
    const label = readLabel(line);
    expect(label === null ? null : labelCore(label.written)).toBe(core);
  });

  test.each([
    'a)b = c',
    'f(a)What',
    'Photosynthesis is the process',
    '1.5 m of wire',
    '0.5',
    '42',
    '9.8 m/s',
    '2:3 is the ratio',
    '10 apples',
    'O2 is released by plants',
    'a 3 kg mass falls',
    'A plant grows',
    'i.e. the cell wall',
    'Answer is 42',
    'Quantum theory',
    'Section B of the wire is longer',
    'Contents of the cell',
    'parts of the cell',
    '3 x = 12',
    '5 - 3 = 2',
    '',
  ])('"%s" begins no answer', (line) => {
    expect(readLabel(line)).toBeNull();
  });
});

test('a label gives its core and the cores of its parents', () => {
  expect(coreAndParents('2aii')).toEqual(['2aii', '2a', '2']);
  expect(coreAndParents('12b')).toEqual(['12b', '12']);
  expect(coreAndParents('12')).toEqual(['12']);
  expect(coreAndParents('sectionb')).toEqual(['sectionb']);
});

test.each([
  ['Q.2 (a)', '2a'],
  ['2A', '2a'],
  ['Question No. 7', '7'],
  ['2.a', '2a'],
  ['IV', 'iv'],
  ['Essay', 'essay'],
  ['A', 'a'],
])('the core of the printed label "%s" is %s', (label, core) => {
  expect(labelCore(label)).toBe(core);
});
