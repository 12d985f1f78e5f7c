import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@evaluation/platform/telemetry';
import express, { type Request, type Response as ServerResponse } from 'express';
import fc from 'fast-check';
import { strFromU8, unzipSync } from 'fflate';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { CHANGED_BY_SPREADSHEET, withoutApostrophe } from '../../tables/formulaCells.ts';
import { errorHandler } from '../middleware/errors.ts';
import { downloadRoutes } from './downloadRoutes.ts';
import { namesOfCopies, safeFileName } from './fileNames.ts';
import type { MarksPage } from './marksPages.ts';
import { resultsCsv } from './resultsCsv.ts';
import { answersTable, candidatesTable } from './resultsTable.ts';
import { resultsXlsx } from './resultsXlsx.ts';

const LOG = createLogger({ service: 'test', level: 'silent' });

const HOSTILE = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '=1+1\nx',
  '\n=1',
  ' =1',
  '＝1+1',
  '－1',
  "'=1",
  "'tis",
  'plain',
  'a,"b"\nc',
  'आशा',
];

const page = (names: readonly string[], from = 0): MarksPage => ({
  title: 'Exam',
  questions: [
    { question_id: 'q1', label: '1', max: 4 },
    { question_id: 'q2', label: '2', max: 2.5 },
  ],
  data: names.map((name, index) => ({
    submission_id: `00000000-0000-4000-8000-${String(from + index).padStart(12, '0')}`,
    candidate: {
      id: 'c',
      external_id: `c${from + index}`,
      name,
      roll_number: null,
      section_or_class: null,
    },
    status: 'graded',
    needs_review: false,
    finalized: index === 0,
    has_checked_copy: false,
    awarded: 3.25,
    max: 6.5,
    marks: [-0.75, 4],
    comments: [null, index === 0 ? '=Write the unit.' : ' '],
    details: [
      { criteria: null, feedback: null },
      {
        criteria: [
          { name: 'Cause', awarded: 1.5, max: 2 },
          { name: '=Unit', awarded: null, max: null },
        ],
        feedback: 'Good.',
      },
    ],
  })),
  next_cursor: null,
});

async function* pagesOf(...pages: MarksPage[]): AsyncGenerator<MarksPage> {
  yield* pages;
}

test('the CSV has a row for each candidate of all pages, and no cell that a spreadsheet would compute', async () => {
  const parts = await Array.fromAsync(
    resultsCsv(pagesOf(page(HOSTILE.slice(0, 3)), page(HOSTILE.slice(3), 3)), candidatesTable),
  );
  const text = parts.join('');
  expect(text.startsWith('\uFEFF')).toBe(true);
  const { data } = Papa.parse<string[]>(text.slice(1), { skipEmptyLines: true });
  expect(data[0]).toEqual([
    'Candidate',
    'Roll number',
    'Name',
    'Section or class',
    'Status',
    'Needs review',
    'Final',
    'Total',
    'Maximum',
    'Question 1 (4)',
    'Question 2 (2.5)',
    'Comments',
    'Criteria',
  ]);
  expect(data).toHaveLength(1 + HOSTILE.length);
  const names = data.slice(1).map((row) => row[2]);
  expect(names).toEqual(
    HOSTILE.map((name) => (/[=+\-@＝－]/.test(name) && name !== 'plain' ? `'${name}` : name)),
  );
  expect(names.map((name = '') => withoutApostrophe(name))).toEqual(HOSTILE);
  expect(data[1]?.slice(7)).toEqual([
    '3.25',
    '6.5',
    '-0.75',
    '4',
    '2: =Write the unit.',
    '2: Cause: 1.5/2; =Unit: –',
  ]);
  expect(data[2]?.at(-2)).toBe('');
});

test('the CSV by question has a row for each answer, with its comment, criteria and feedback', async () => {
  const text = (await Array.fromAsync(resultsCsv(pagesOf(page(['a', 'b'])), answersTable))).join('');
  const { data } = Papa.parse<string[]>(text.slice(1), { skipEmptyLines: true });
  expect(data).toHaveLength(5);
  expect(data[0]?.slice(7)).toEqual(['Question', 'Marks', 'Maximum', 'Comment', 'Criteria', 'Feedback']);
  expect(data[1]?.slice(7)).toEqual(['1', '-0.75', '4', '', '', '']);
  expect(data[2]?.slice(0, 10)).toEqual(['c0', '', 'a', '', 'graded', 'no', 'yes', '2', '4', '2.5']);
  expect(data[2]?.slice(10)).toEqual(["'=Write the unit.", 'Cause: 1.5/2; =Unit: –', 'Good.']);
});

const CHANGED = [
  '007',
  '1E5',
  '1.50',
  '2,5',
  '3-5',
  '1/2',
  '10:30',
  '10 A',
  'Mar 5',
  '5-Sept',
  'TRUE',
  '123456789012',
];
const KEPT = ['7', '0', '12345678901', 'A7', '1E', '10-A', 'R/7', 'May', 'Mark 7', '९', '२-५'];

test('ids that a spreadsheet would change to numbers, dates or times have an apostrophe in the CSV', async () => {
  const marks = page([...CHANGED, ...KEPT]);
  for (const { candidate } of marks.data) candidate.external_id = candidate.name ?? '';
  const text = (await Array.fromAsync(resultsCsv(pagesOf(marks), candidatesTable))).join('');
  const { data } = Papa.parse<string[]>(text.slice(1), { skipEmptyLines: true });
  const ids = data.slice(1).map(([id = '']) => id);
  expect(ids).toEqual([...CHANGED.map((id) => `'${id}`), ...KEPT]);
  expect(ids.map(withoutApostrophe)).toEqual([...CHANGED, ...KEPT]);
});

test('marks follow their question when the paper changes between two pages', async () => {
  const later = page(['b'], 1);
  later.questions.reverse();
  const text = (await Array.fromAsync(resultsCsv(pagesOf(page(['a']), later), candidatesTable))).join('');
  const { data } = Papa.parse<string[]>(text.slice(1), { skipEmptyLines: true });
  expect(data[2]?.slice(9, 11)).toEqual(['4', '-0.75']);
});

const sheetOf = async (...pages: MarksPage[]): Promise<string> => {
  const file = new Uint8Array(
    await new Response(resultsXlsx(pagesOf(...pages), candidatesTable)).arrayBuffer(),
  );
  const sheet = strFromU8(unzipSync(file)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
  // XML 1.0 has no other control characters, and no bare ampersand.
  expect(sheet).not.toMatch(/[^\t\n\u0020-\uD7FF\uE000-\u{10FFFF}]|[\uFFFE\uFFFF]|&(?!amp;|lt;|gt;|#13;)/u);
  return sheet;
};

test('the Excel file holds texts as texts and marks as numbers', async () => {
  const sheet = await sheetOf(page(HOSTILE), page(['Another page'], HOSTILE.length));
  expect(sheet).not.toContain('<f>');
  expect(sheet).toContain('<v>-0.75</v>');
  for (const name of ['=1+1', '@SUM(A1)', 'आशा', 'Another page']) expect(sheet).toContain(`>${name}<`);
  expect(sheet).toContain('<c s="2" t="inlineStr"><is><t xml:space="preserve">c0</t></is></c>');
  expect(sheet.match(/<row>/g)).toHaveLength(HOSTILE.length + 2);
});

test('any text stays within its cell of the Excel file', async () => {
  expect(await sheetOf(page(['_x0041_ & <b>']))).toContain('>_x005F_x0041_ &amp; &lt;b&gt;<');
  expect(await sheetOf(page(['\u0000\uD800\u0007end']))).toContain('>\uFFFDend<');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 4 }),
      async (names) => {
        expect((await sheetOf(page(names))).match(/<row>/g)).toHaveLength(names.length + 1);
      },
    ),
    { numRuns: 50 },
  );
});

test('an escaped text reads back as it was written, and begins with no sign of a formula', () => {
  const signs = fc.string({ unit: fc.constantFrom(...`'=+-@\t\r\n ＝＋－＠a10E.`.split('')), maxLength: 6 });
  fc.assert(
    fc.property(signs, (text) => {
      const [[cell = ''] = []] = Papa.parse<string[]>(
        Papa.unparse([[text]], { escapeFormulae: CHANGED_BY_SPREADSHEET, quotes: true }),
      ).data;
      expect(cell).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
      expect(withoutApostrophe(cell)).toBe(text);
    }),
  );
});

test('an institute has three downloads at once; a further one is refused, and not that of another institute', async () => {
  const waiting = Promise.withResolvers<never>();
  let [asked, arrived, gone] = [0, 0, 0];
  const marks = {
    query: () => {
      asked += 1;
      return waiting.promise;
    },
  };
  const core = { as: () => ({ public: { desk: { statistics: { marks } } } }) };
  const sessions = {
    of: async (request: Request, response: ServerResponse) => {
      const institute = request.get('x-institute');
      if (institute === 'gone') {
        arrived += 1;
        await once(response, 'close');
        gone += 1;
      }
      return { staff: { institute_id: institute === 'gone' ? 'a' : institute }, actor: {} };
    },
  };
  const app = express();
  app.use('/downloads', downloadRoutes(core as never, sessions as never, LOG));
  app.use(errorHandler(LOG));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ended = new AbortController();
  const load = (institute: string, signal = ended.signal) =>
    fetch(`http://127.0.0.1:${port}/downloads/exams/e/results.csv`, {
      headers: { 'x-institute': institute },
      signal,
    }).then(
      ({ status }) => status,
      () => 'open',
    );
  // Browsers that disconnect before their session was looked up take no place.
  const left = new AbortController();
  const early = [load('gone', left.signal), load('gone', left.signal), load('gone', left.signal)];
  await expect.poll(() => arrived).toBe(3);
  left.abort();
  await Promise.all(early);
  await expect.poll(() => gone).toBe(3);
  const running = [load('a'), load('a'), load('a')];
  await expect.poll(() => asked).toBe(3);
  expect(await load('a')).toBe(429);
  const other = load('b');
  await expect.poll(() => asked).toBe(4);
  ended.abort();
  expect(await Promise.all([...running, other])).toEqual(['open', 'open', 'open', 'open']);
  server.close();
});

test('names in the ZIP file differ without regard to case, and each system takes them', () => {
  const nameOf = namesOfCopies();
  const id = '00000000-0000-4000-8000-00000000002a';
  expect(nameOf('R-17 ब', id)).toBe('R-17 ब.pdf');
  expect(nameOf('A1', id)).toBe('A1.pdf');
  expect(nameOf('a1', id)).toBe('a1-00000000002a.pdf');
  expect(nameOf('con', id)).toBe('_con-00000000002a.pdf');
  expect(nameOf('../../etc/passwd', id)).toBe('-..-etc-passwd-00000000002a.pdf');
  expect(nameOf('', id)).toBe('-00000000002a.pdf');
});

test.each([
  ['Maths/Paper 1', 'Maths-Paper 1'],
  ['2025-26 / Term 1 / Class X', '2025-26 - Term 1 - Class X'],
  ['/', 'results'],
  ['...', 'results'],
  ['a\u0000b\nc\u202ed', 'a-b-c-d'],
  ['Term 1.', 'Term 1'],
  ['NUL.2025', '_NUL.2025'],
  ['गणित “Paper” 😀', 'गणित “Paper” 😀'],
])('the title %j names its downloads %j', (title, name) => {
  expect(safeFileName(title, 'results')).toBe(name);
});
