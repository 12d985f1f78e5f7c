import { expect, test } from 'vitest';
import { matchFiles } from './matchFiles.ts';

const candidates = [
  { id: 'asha', external_id: 'S-0017', roll_number: '17' },
  { id: 'biju', external_id: 'S-0018', roll_number: '18' },
  { id: 'chitra', external_id: 'छात्र-३', roll_number: null },
];

const matched = (...names: string[]): Record<string, string> =>
  Object.fromEntries(
    [...matchFiles(names, candidates)].map(([name, { id, isCertain }]) => [name, isCertain ? id : `${id}?`]),
  );

test('a file is matched by roll number or external id, in any letter case and with other separators', () => {
  expect(matched('17.pdf')).toEqual({ '17.pdf': 'asha' });
  expect(matched('s_0018.PDF')).toEqual({ 's_0018.PDF': 'biju' });
  expect(matched('0017.pdf')).toEqual({ '0017.pdf': 'asha' });
  expect(matched('छात्र-३.pdf')).toEqual({ 'छात्र-३.pdf': 'chitra' });
  for (const name of ['roll17.pdf', 'Roll-17.pdf', 'R17.pdf', 'Roll No. 17.pdf'])
    expect(matched(name)).toEqual({ [name]: 'asha' });
});

test('a number with the name of its candidate is no guess', () => {
  const named = [{ id: 'asha', external_id: 'S-0017', roll_number: '17', name: 'Asha Rao' }];
  const found = (name: string) => matchFiles([name], named).get(name);
  for (const name of ['17 Asha Rao.pdf', 'rao_17.pdf', '17 Asha (2).pdf'])
    expect(found(name)).toEqual({ id: 'asha', isCertain: true });
  expect(found('17 Biju.pdf')).toEqual({ id: 'asha', isCertain: false });
});

test('a part of the name is a guess if it fits one candidate only', () => {
  expect(matched('17 Asha Rao.pdf', 'physics_18.pdf')).toEqual({
    '17 Asha Rao.pdf': 'asha?',
    'physics_18.pdf': 'biju?',
  });
  expect(matched('Physics roll no 18 Biju.pdf')).toEqual({ 'Physics roll no 18 Biju.pdf': 'biju?' });
  expect(matched('17 and 18.pdf')).toEqual({});
  expect(matched('117.pdf', 'scan.pdf')).toEqual({});
});

test('dates, times, counters and numbers of classes and scans match no candidate', () => {
  const numbers = Array.from({ length: 60 }, (_, index) => String(index + 1));
  const everyone = numbers.map((number) => ({ id: number, external_id: `S${number}`, roll_number: number }));
  for (const name of [
    'Adobe Scan Nov 25, 2026.pdf',
    'Adobe Scan 25 Nov 2026 (1).pdf',
    'Scan from 2026-11-25 18.00.pdf',
    'CamScanner 11-25-2026 17.45.pdf',
    '25-Nov-2026 17.45 Office Lens.pdf',
    'Scan 3.pdf',
    'Scanned Document 3.pdf',
    'Document (2).pdf',
    'Class 10 Physics.pdf',
    'Physics Unit 3 Asha Rao.pdf',
    'IMG_0042.pdf',
    'scan0007.pdf',
    '20261125_174503.pdf',
    'WhatsApp Image 2026-11-25 at 6.05.12 PM.pdf',
    'page 12.pdf',
    'Copy of v2.pdf',
    'Maths test 2 set 4.pdf',
  ])
    expect([...matchFiles([name], everyone)], name).toEqual([]);
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
  expect([...matchFiles(['7.pdf', '2.pdf'], twins)]).toEqual([['2.pdf', { id: 'b', isCertain: true }]]);
});
