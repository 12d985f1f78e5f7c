import { expect, test } from 'vitest';
import { matchFiles } from './matchFiles.ts';

const candidates = [
  { id: 'asha', external_id: 'S-0017', roll_number: '17' },
  { id: 'biju', external_id: 'S-0018', roll_number: '18' },
  { id: 'chitra', external_id: 'छात्र-३', roll_number: null },
];
const matched = (...names: string[]): Record<string, string> =>
  Object.fromEntries(matchFiles(names, candidates));

test('a file is matched by roll number or external id, in any letter case and with other separators', () => {
  expect(matched('17.pdf')).toEqual({ '17.pdf': 'asha' });
  expect(matched('s_0018.PDF')).toEqual({ 's_0018.PDF': 'biju' });
  expect(matched('0017.pdf')).toEqual({ '0017.pdf': 'asha' });
  expect(matched('छात्र-३.pdf')).toEqual({ 'छात्र-३.pdf': 'chitra' });
});

test('a part of the name is enough if it fits one candidate only', () => {
  expect(matched('17 Asha Rao.pdf', 'physics_18.pdf')).toEqual({
    '17 Asha Rao.pdf': 'asha',
    'physics_18.pdf': 'biju',
  });
  expect(matched('17 and 18.pdf')).toEqual({});
  expect(matched('117.pdf', 'scan.pdf')).toEqual({});
});

test('a whole name is preferred to a part; two files that fit equally well are left to the person', () => {
  expect(matched('17.pdf', '17 second.pdf')).toEqual({ '17.pdf': 'asha' });
  expect(matched('17 first.pdf', '17 second.pdf')).toEqual({});
  expect(matched('17.pdf', 'S-0017.pdf')).toEqual({});
});

test('an id that two candidates share matches neither', () => {
  const twins = [
    { id: 'a', external_id: '1', roll_number: '7' },
    { id: 'b', external_id: '2', roll_number: '7' },
  ];
  expect(matchFiles(['7.pdf', '2.pdf'], twins)).toEqual(new Map([['2.pdf', 'b']]));
});
