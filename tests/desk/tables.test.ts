import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { createExam, submit, untilOver } from '../harness/api.ts';
import { mcq, numeric, oneWord, typedExam } from '../harness/papers.ts';
import { deskSuite, expectNoAxeViolations, expectNoSidewaysScroll, signIn } from './harness/deskSuite.ts';
import { chooseFile, windows1252, workbook } from './harness/tables.ts';

vi.setConfig({ testTimeout: 200_000 });

const desk = await deskSuite();
const { api } = desk.service;

interface Stored {
  external_id: string;
  name: string | null;
  roll_number: string | null;
}

/** Candidates as they are stored, as `id|name|roll number`. */
const stored = async (...ids: string[]): Promise<string[]> => {
  const { body } = await api.post<{ data: Stored[] }>('/candidates/search', { external_ids: ids });
  return body.data.map(
    ({ external_id, name, roll_number }) => `${external_id}|${name ?? ''}|${roll_number ?? ''}`,
  );
};

const opened = async (path: string) => {
  const browser = await desk.newBrowser();
  await signIn(desk, browser.page);
  await browser.page.goto(`${desk.url}${path}`);
  return browser;
};

/** The rows of a table of the page, its cells separated by ` | `. */
const rowsOf = async (page: Page, name: string): Promise<string[]> => {
  const rows = await page.getByRole('table', { name }).getByRole('row').all();
  const cells = await Promise.all(rows.slice(1).map((row) => row.locator('th, td').allInnerTexts()));
  return cells.map((row) => row.join(' | '));
};

const problemsOf = async (page: Page): Promise<string[]> => {
  const notice = page.getByRole('alert').filter({ hasText: 'Nothing was taken from the table' });
  await notice.waitFor();
  return notice.getByRole('listitem').allInnerTexts();
};

test('a table of candidates shows what is new and what changes, and is stored after the teacher says so', async () => {
  await api.post('/candidates', {
    candidates: [
      { external_id: 'S1', name: 'José Núñez', roll_number: '1' },
      { external_id: 'S2', name: 'Zoe Muller', roll_number: '2' },
    ],
  });
  const exam = await createExam(api, typedExam([mcq('1')], { title: 'Tables' }));
  const { context, page, problems } = await opened(`/exams/${exam.id}/candidates`);
  const register = page.getByRole('button', { name: 'Register all' });

  // Windows-1252 of an older Excel: the names are shown, and nothing is read before they are found right.
  const ansi = windows1252('id;name;roll number\r\nS1;José Núñez;1\r\nS2;Zoë Müller;2\r\nS3;Renée;3\r\n');
  await chooseFile(page, 'class.csv', ansi);
  const doubt = page.getByRole('alert').filter({ hasText: 'Are these words right?' });
  await doubt.waitFor();
  expect(await doubt.getByRole('listitem').allInnerTexts()).toEqual(['José Núñez', 'Zoë Müller', 'Renée']);
  expect(await register.count()).toBe(0);
  await expectNoAxeViolations(page);
  await doubt.getByRole('button', { name: 'No' }).click();
  expect(await problemsOf(page)).toEqual([expect.stringContaining('CSV UTF-8')]);
  await chooseFile(page, 'class.csv', ansi);
  await doubt.getByRole('button', { name: 'Yes, they are right' }).click();
  await page.getByText('1 new, 1 changed, 1 the same').waitFor();
  expect(await rowsOf(page, 'What changes in the stored candidates')).toEqual([
    '3 | S2 | Name | Zoe Muller | Zoë Müller',
  ]);
  expect(await rowsOf(page, 'New candidates')).toEqual(['4 | S3 | Renée | 3 | ']);
  await expectNoAxeViolations(page);
  await expectNoSidewaysScroll(page);
  expect(await stored('S1', 'S2', 'S3')).toEqual(['S1|José Núñez|1', 'S2|Zoe Muller|2']);
  await register.click();
  await page.getByText('3 registered, 0 were registered before.').waitFor();
  expect(await stored('S1', 'S2', 'S3')).toEqual(['S1|José Núñez|1', 'S2|Zoë Müller|2', 'S3|Renée|3']);

  // A file with problems stores nothing. The corrected file of the same name is read again.
  await chooseFile(page, 'more.csv', 'id,name,roll\r\nS4,Rao, Asha,17\r\nS5,Ravi,18\r\n');
  expect(await problemsOf(page)).toEqual([expect.stringMatching(/^Line 2: 17 has no heading/)]);
  expect(await register.count()).toBe(0);
  await expectNoAxeViolations(page);
  await chooseFile(page, 'more.csv', 'id,name,roll\r\nS4,"Rao, Asha",17\r\nS5,Ravi,18\r\n');
  await page.getByText('2 new, 0 changed, 0 the same').waitFor();
  expect(await page.getByText('Nothing was taken from the table').count()).toBe(0);
  await register.click();
  await page.getByRole('rowheader', { name: 'S5' }).waitFor();
  expect(await stored('S4')).toEqual(['S4|Rao, Asha|17']);

  // Columns that are not known are left out only if the teacher says so.
  await chooseFile(page, 'wide.csv', 'id,name,sex\nS6,Meena,f\n');
  expect(await problemsOf(page)).toEqual([expect.stringMatching(/^Line 1: The column sex is not known/)]);
  expect(await register.count()).toBe(0);
  await page.getByRole('button', { name: 'Leave these columns out' }).click();
  await page.getByText('1 new, 0 changed, 0 the same').waitFor();

  // An id of a file that looks like a stored one means that candidate.
  await api.post('/candidates', { candidates: [{ external_id: 'Zo\u00eb', name: 'Zoë' }] });
  await chooseFile(page, 'mac.csv', 'id,name\nZoe\u0308,Zoë\n');
  await page.getByText('0 new, 0 changed, 1 the same').waitFor();
  await register.click();
  await page.getByRole('rowheader', { name: 'Zo\u00eb' }).waitFor();
  expect(await stored('Zoe\u0308')).toEqual([]);
  expect(problems).toEqual([]);
  await context.close();
});

/** Tables of each kind, with the rows that are shown as new, or the problems. */
const TABLES: readonly [string, string | Uint8Array, { added: string[] } | { refused: RegExp[] }][] = [
  ['sep.csv', 'sep=;\r\nid;name;roll number\r\nT1;Asha Rao;1\r\n', { added: ['2 | T1 | Asha Rao | 1 | '] }],
  [
    'zeros.csv',
    'id,name\r\n007,Asha\r\n7,Ravi\r\n',
    { added: ['2 | 007 | Asha |  | ', '3 | 7 | Ravi |  | '] },
  ],
  [
    'unseen.csv',
    '\u200Bid\u200B,name,roll\u00A0number\r\nT2,Asha,1\r\n',
    { added: ['2 | T2 | Asha | 1 | '] },
  ],
  ['names.csv', 'id,First name,Last name\r\nT3,Asha,Rao\r\n', { added: ['2 | T3 | Asha Rao |  | '] }],
  ['one.csv', 'id\r\nT4\r\nT5\r\n', { added: ['2 | T4 |  |  | ', '3 | T5 |  |  | '] }],
  ['unicode.txt', Buffer.from('\uFEFFid\tname\r\nT6\tआशा\r\n', 'utf16le'), { added: ['2 | T6 | आशा |  | '] }],
  [
    'science.csv',
    'id,name\r\n1.23457E+11,Asha Rao\r\n1.23457E+11,Ravi\r\n2.01900E+09,Meena\r\n',
    { refused: [/^Line 2: .*shortened.*1\.23457E\+11/, /^Line 3: .*twice/, /^Line 4: .*shortened/] },
  ],
  [
    'german.csv',
    'Matrikelnummer;Nachname;Vorname\r\n0012345;Müller;Zoë\r\n',
    {
      refused: [
        /^Line 1: The column Matrikelnummer is not known/,
        /Nachname/,
        /Vorname/,
        /The column id is missing/,
      ],
    },
  ],
  [
    'errors.csv',
    'id,name\r\n#N/A,Asha\r\nT8,#NAME?\r\n',
    { refused: [/^Line 2: #N\/A is an error/, /^Line 3: #NAME\? is an error/] },
  ],
  ['same.csv', 'id\r\na b\r\na\u00A0 b\r\n', { refused: [/^Line 3: .*looks the same/] }],
  [
    'class.xlsx',
    workbook(
      [
        ['<c r="A1" t="s"><v>0</v></c>', '<c r="B1" t="s"><v>1</v></c>', '<c r="D1" t="s"><v>2</v></c>'],
        ['<c r="A2"><v>123456789012</v></c>', '<c r="B2" t="s"><v>3</v></c>', '<c r="D2" s="1"><v>7</v></c>'],
        [],
        ['<c r="A4" t="str"><f>B4</f><v>T9</v></c>', '<c r="B4" t="inlineStr"><is><t>Zoë</t></is></c>'],
      ],
      ['id', 'name', 'roll number', 'आशा &amp; Rao'],
    ),
    { added: ['2 | 123456789012 | आशा & Rao | 0007 | ', '4 | T9 | Zoë |  | '] },
  ],
  [
    'errors.xlsx',
    workbook(
      [
        ['<c t="s"><v>0</v></c>', '<c t="s"><v>1</v></c>'],
        ['<c t="e"><v>#REF!</v></c>', '<c s="2"><v>45000</v></c>'],
        ['<c><v>1.2345678901234599E+17</v></c>'],
      ],
      ['id', 'name'],
    ),
    {
      refused: [/^Line 2: #REF! is an error/, /^Line 2: .*made the date 2023-03-15/, /^Line 3: .*shortened/],
    },
  ],
  ['broken.xlsx', 'PK\u0003\u0004 no archive', { refused: [/The workbook cannot be read/] }],
  ['old.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), { refused: [/old Excel/] }],
];

test('tables of each kind are read as they were meant, or are refused by row', async () => {
  const exam = await createExam(api, typedExam([mcq('1')], { title: 'Kinds of tables' }));
  const { context, page, problems } = await opened(`/exams/${exam.id}/candidates`);
  for (const [name, content, outcome] of TABLES) {
    await chooseFile(page, name, content);
    if ('added' in outcome) {
      await page.getByText(`${outcome.added.length} new, 0 changed, 0 the same`).waitFor();
      expect(await rowsOf(page, 'New candidates'), name).toEqual(outcome.added);
    } else {
      const found = await problemsOf(page);
      expect(found, name).toHaveLength(outcome.refused.length);
      for (const [at, expected] of outcome.refused.entries()) expect(found[at], name).toMatch(expected);
      expect(await page.getByRole('button', { name: 'Register all' }).count()).toBe(0);
    }
  }
  expect(await stored('T1', '007', '1.23457E+11')).toEqual([]);
  expect(problems).toEqual([]);
  await context.close();
});

test('a table of typed answers shows its candidates and submits nothing with a problem', async () => {
  await api.post('/candidates', { candidates: [{ external_id: 'A1', name: 'Asha' }] });
  const exam = await createExam(
    api,
    typedExam([mcq('1'), numeric('2', { answer: '3.5' }), oneWord('3', { answer: 'Paris' })]),
  );
  const { context, page, problems } = await opened(`/exams/${exam.id}/answers`);
  await page.getByRole('tab', { name: 'Many candidates' }).click();
  await chooseFile(page, 'answers.csv', 'id;name;1;2;3\r\nA1;Asha R.;B;3,5;Paris\r\nA1;;C;#N/A;Rome\r\n');
  expect(await problemsOf(page)).toEqual([
    expect.stringMatching(/^Line 3: #N\/A is an error/),
    expect.stringMatching(/^Line 3: A1 occurs twice/),
  ]);
  await chooseFile(page, 'answers.csv', 'id;name;1;2;3\r\nA1;Asha R.;B;3,5;Paris\r\nA2;;C;4,5;Rome\r\n');
  await page.getByText('1 new, 1 changed, 0 the same').waitFor();
  expect(await rowsOf(page, 'What changes in the stored candidates')).toEqual([
    '2 | A1 | Name | Asha | Asha R.',
  ]);
  await page.getByText('2 answers to numeric questions have a decimal comma').waitFor();
  await expectNoAxeViolations(page);
  await page.getByRole('button', { name: 'Submit 2 lines' }).click();
  await page.getByText('2 submitted, 0 refused').waitFor();
  expect(await stored('A1', 'A2')).toEqual(['A1|Asha R.|', 'A2||']);
  expect(problems).toEqual([]);
  await context.close();
});

test('results of each kind are read back without a change', async () => {
  const strange = [
    { external_id: '007', name: '=1+1', roll_number: '1E5' },
    { external_id: '-5', name: "'tis ,;\n", roll_number: '3-5' },
    { external_id: 'e\u0301 ', name: ' आशा\u200B', section_or_class: '10 A' },
    { external_id: "'007", name: '_x0041_ "q"' },
    { external_id: '1.2E+11', name: '#N/A' },
    { external_id: 'a b', name: '??' },
    { external_id: 'a  b', name: 'Jos\uFFFD' },
  ];
  const exam = await createExam(api, typedExam([mcq('1')], { title: 'Read back' }));
  const submitted = await Promise.all(
    strange.map((candidate) =>
      submit(api, exam.id, { candidate, answers: [{ question_label: '1', option_labels: ['B'] }] }),
    ),
  );
  await Promise.all(submitted.map(({ id }) => untilOver(api, id)));
  const before = await stored(...strange.map(({ external_id }) => external_id));
  expect(before).toHaveLength(7);
  const { context, page, problems } = await opened(`/exams/${exam.id}/finalize`);
  for (const name of [
    'Results as CSV',
    'Results as Excel file (XLSX)',
    'Results by question as CSV',
    'Results by question as Excel file (XLSX)',
  ]) {
    await page.goto(`${desk.url}/exams/${exam.id}/finalize`);
    const begun = page.waitForEvent('download');
    await page.getByRole('link', { name }).click();
    const file = await begun;
    const content = await readFile(await file.path());
    await page.goto(`${desk.url}/exams/${exam.id}/candidates`);
    await chooseFile(page, file.suggestedFilename(), content);
    await page.getByText('0 new, 0 changed, 7 the same').waitFor();
    await page.getByRole('button', { name: 'Register all' }).click();
    await page.getByText('0 registered, 7 were registered before.').waitFor();
  }
  expect(await stored(...strange.map(({ external_id }) => external_id))).toEqual(before);
  expect(problems).toEqual([]);
  await context.close();
});

test('a table of questions fills an empty form, and shows what it replaces in a form with questions', async () => {
  const { context, page, problems } = await opened('/exams/new');
  await page.getByRole('button', { name: 'Import from JSON or CSV' }).click();
  const bars = 'label,type,text,marks,options,correct\r\n1,mcq,Which is |x|?,1,A: |x| | B: 2 | C: -2,B\r\n';
  await chooseFile(page, 'questions.csv', bars.replace(',B\r', ',D\r'));
  expect(await problemsOf(page)).toEqual(['Line 2: D is not the label of an option.']);
  await chooseFile(page, 'questions.csv', bars);
  await page.getByText('The form has 1 question now.').waitFor();
  const question = (label: string) => page.getByRole('group', { name: `Question ${label}`, exact: true });
  const text = (label: string) => question(label).getByRole('textbox', { name: 'Question', exact: true });
  expect(await question('1').getByRole('textbox', { name: 'Text of option A' }).inputValue()).toBe('|x|');
  expect(await question('1').getByRole('radio', { name: 'Option B is correct' }).isChecked()).toBe(true);

  await page.getByRole('button', { name: 'Import from JSON or CSV' }).click();
  await chooseFile(
    page,
    'more.csv',
    'label,type,text,marks,options,correct,answer\r\n1,true/false,Water boils.,1,,,TRUE\r\n2,true_false,Ice is hot.,1,T: True | F: False,FALSE,\r\n',
  );
  await page.getByText('The file has 2 questions; the form has 1 now.').waitFor();
  expect(await rowsOf(page, 'What changes in the form')).toEqual([
    '1 | One correct option · Which is |x|? · 1 | True or false · Water boils. · 1',
    '2 | (empty) | True or false · Ice is hot. · 1',
  ]);
  await expectNoAxeViolations(page);
  expect(await text('1').inputValue()).toBe('Which is |x|?');
  await page.getByRole('button', { name: 'Replace the questions of the form' }).click();
  await question('2').waitFor();
  expect(await text('1').inputValue()).toBe('Water boils.');
  expect(problems).toEqual([]);
  await context.close();
});
