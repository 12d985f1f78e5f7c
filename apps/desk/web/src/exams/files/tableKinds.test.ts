import { expect, test } from 'vitest';
import { decodeFile, doubtfulWords } from './decodeFile.ts';
import { readAnswers } from './readAnswers.ts';
import { readCandidates } from './readCandidates.ts';
import { readQuestionTable } from './readQuestions.ts';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0));
const utf16 = (text: string, isBig: boolean): Uint8Array =>
  Uint8Array.from(
    [...text].flatMap((sign) => {
      const code = sign.charCodeAt(0);
      return isBig ? [code >> 8, code & 255] : [code & 255, code >> 8];
    }),
  );

const codes = (table: string) => readCandidates(table).problems.map(({ line, code }) => `${line} ${code}`);
const seen = (table: string) => {
  const { candidates, problems } = readCandidates(table);
  expect(problems).toEqual([]);
  return candidates.map(({ line: _line, idAsWritten: _id, doubts: _doubts, ...candidate }) => candidate);
};

test.each([
  ['UTF-8', new TextEncoder().encode('id,name\nS1,Zoë आशा\n'), false],
  ['UTF-8 with its mark', new TextEncoder().encode('\uFEFFid,name\nS1,Zoë आशा\n'), false],
  ['UTF-16LE with its mark', utf16('\uFEFFid,name\nS1,Zoë आशा\n', false), false],
  ['UTF-16BE with its mark', utf16('\uFEFFid,name\nS1,Zoë आशा\n', true), false],
  ['UTF-16LE', utf16('id,name\nS1,Zoë आशा\n', false), false],
  ['UTF-16BE', utf16('id,name\nS1,Zoë आशा\n', true), false],
])('a file in %s is read', (_encoding, bytes, isDoubtful) => {
  expect(decodeFile(bytes)).toEqual({ kind: 'text', text: 'id,name\nS1,Zoë आशा\n', isDoubtful });
});

test('a file in Windows-1252 is in doubt, and the words that show it are given', () => {
  const decoded = decodeFile(bytesOf('id;name\r\nS1;Jos\xe9 N\xfa\xf1ez\r\nS2;Asha\r\nS3;Zo\xeb\r\n'));
  expect(decoded).toMatchObject({ kind: 'text', isDoubtful: true });
  expect(doubtfulWords(decoded.kind === 'text' ? decoded.text : '')).toEqual(['José Núñez', 'Zoë']);
});

test.each([
  ['old_workbook', bytesOf('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')],
  ['no_text', bytesOf('%PDF-1.7\n\xe2\xe3\0\x01')],
  ['no_text', bytesOf('id,name\nS1,A\0sha\n')],
  ['no_text', bytesOf('\xff\xfei')],
])('other bytes are refused: %s', (code, bytes) => {
  expect(decodeFile(bytes)).toEqual({ kind: 'refused', problem: { line: 1, code } });
});

test.each([
  'sep=;\r\nid;name;roll number\r\nS1;Rao, Asha;1\r\n',
  '"sep=|"\nid|name|roll\nS1|Rao, Asha|1\n',
  'id|name|roll\nS1|Rao, Asha|1\n',
  'id^name^roll\nS1^Rao, Asha^1\n',
  'id;name;roll;;\r\nS1;Rao, Asha;1;;\r\n;;;;\r\n',
  '\u200Bid\u200B,"name",roll\u00A0number\r\nS1,"Rao, Asha",1\r\n',
  'Class X\n\nid\tname\troll\nS1\tRao, Asha\t1\n',
  'Class X, section A;;\nid;name;roll\nS1;Rao, Asha;1\n',
  'id;Name;Roll No.\rS1;Rao, Asha;1\r',
  'id,name,roll\n="S1","Rao, Asha","=""1"""\n',
])('headings and separators are found: %j', (table) => {
  expect(seen(table)).toEqual([{ external_id: 'S1', name: 'Rao, Asha', roll_number: '1' }]);
});

test('a single column, and names in two columns, are read', () => {
  expect(seen('id\r\nS1\r\nS2\r\n')).toEqual([{ external_id: 'S1' }, { external_id: 'S2' }]);
  expect(seen('id,Last name,First name\nS1,Rao,Asha\n')).toEqual([{ external_id: 'S1', name: 'Asha Rao' }]);
});

test('leading zeros and the case of an id count, and an id may look like a power', () => {
  const ids = ['007', '7', 'A1', 'a1', '1E5', '1E-5', '2026:7', 'A|7', '=7'];
  expect(seen(`id\n${ids.join('\n')}\n`)).toEqual(ids.map((id) => ({ external_id: id })));
});

test.each([
  ['cells without a heading', 'id,name,roll\r\nS1,Rao, Asha,17\r\nS2,"Iyer, Ravi",18\r\n', ['2 surplus']],
  ['a separator in a single column', 'id\nS1;Rao\n', ['2 surplus']],
  ['unknown columns', 'id,name,sex\nS1,Asha,f\n', ['1 unknown_column']],
  [
    'headings of another language',
    'Matrikelnummer;Nachname;Vorname\r\n00123;Müller;Zoë\r\n',
    ['1 unknown_column', '1 unknown_column', '1 unknown_column', '1 no_column'],
  ],
  ['an unknown id beside roll numbers', 'enrolment,roll\nS1,1\n', ['1 unknown_column', '1 no_column']],
  ['two columns of one kind', 'id,name,student\nS1,a,b\n', ['1 repeated_column']],
  ['a name twice', 'id,name,surname\nS1,a,b\n', ['1 repeated_column']],
  [
    'errors of a spreadsheet',
    'id,name\n#N/A,a\nS2,#NAME?\n#REF!,b\nS4,####\nS5,#BEZUG!\n',
    ['2 excel_error', '3 excel_error', '4 excel_error', '5 excel_error', '6 excel_error'],
  ],
  [
    'shortened numbers',
    'id,roll\n1.23457E+11,1\n"2,019E+09",2\nS3,1E+05\n',
    ['2 changed_number', '3 changed_number', '4 changed_number'],
  ],
  [
    'broken letters',
    'id,name\nS1,Jos\uFFFD\nS2,???? ???\nS3,JosÃ©\nS4,à¤†à¤¶à¤¾\n',
    ['2 broken_text', '3 broken_text', '4 broken_text', '5 broken_text'],
  ],
  [
    'ids that look the same',
    'id\nZo\u00eb\nZoe\u0308\na b\na\u00A0 b\nS\u200B1\nS1\n',
    ['3 looks_same', '5 looks_same', '7 looks_same'],
  ],
  ['texts that core refuses', `id,name\nS1,<b>\n${'x'.repeat(129)},a\n`, ['2 bad_characters', '3 too_long']],
  ['an open quotation', 'id,name\nS1,"Asha\nS2,Biju\n', ['2 bad_quotes']],
  [
    'too many rows',
    `id\n${Array.from({ length: 2001 }, (_, at) => `S${at}`).join('\n')}\n`,
    ['2002 too_many_rows'],
  ],
])('a problem is named by its row: %s', (_what, table, expected) => {
  expect(codes(table)).toEqual(expected);
});

test('rows are counted as in the spreadsheet, with empty rows and line breaks in cells', () => {
  expect(codes('id,name\n\nS1,"As\nha"\n,x\n')).toEqual(['4 empty']);
});

test('a table of results gives its candidates once each, and its other columns are left out', () => {
  const table = [
    'Candidate,Roll number,Name,Section or class,Status,Needs review,Final,Question,Comment',
    `"'=1",7,Asha,X,graded,no,no,1,#N/A`,
    `"'=1",7,Asha,X,graded,no,no,2,`,
  ].join('\n');
  expect(seen(table)).toEqual([{ external_id: '=1', name: 'Asha', roll_number: '7', section_or_class: 'X' }]);
});

test('in a table of results, damaged texts are in doubt until they are compared with those stored', () => {
  const head = 'Candidate,Roll number,Name,Section or class,Status,Needs review,Final';
  const { candidates, problems } = readCandidates(`${head}\n1.2E+11,,#N/A,,graded,no,no\n`);
  expect(problems).toEqual([]);
  expect(candidates[0]?.doubts.map(({ line, code }) => `${line} ${code}`)).toEqual([
    '2 changed_number',
    '2 excel_error',
  ]);
});

const asked = [
  { id: 'q1', label: '1', type: 'mcq_single' },
  { id: 'q2', label: '2', type: 'numeric' },
  { id: 'q3', label: '3', type: 'one_word' },
] as const;

test('answers stay as they are typed, and decimal commas are counted', () => {
  const { submissions, problems, decimalCommas } = readAnswers(
    'id;1;2;3\r\nS1;B;3,5;Paris\r\nS2;C;4,5;Rome\r\n',
    asked,
  );
  expect(problems).toEqual([]);
  expect(submissions.map(({ answers }) => answers[1])).toEqual([
    { question_id: 'q2', text: '3,5' },
    { question_id: 'q2', text: '4,5' },
  ]);
  expect(decimalCommas).toBe(2);
});

test('options of answers are named by labels, or by a text that a spreadsheet has written in capitals', () => {
  const options = [
    { label: 'T', text: 'True' },
    { label: 'F', text: 'False' },
  ];
  const question = { id: 'q1', label: '1', type: 'mcq_multi', options } as const;
  const { submissions } = readAnswers('id,1\nA,TRUE\nB,f\nC,"T, F"\nD,X\n', [question]);
  expect(submissions.map(({ answers }) => answers[0]?.option_labels)).toEqual([
    ['T'],
    ['F'],
    ['T', 'F'],
    ['X'],
  ]);
});

test('answers without an id, with an error or without a question are problems', () => {
  expect(readAnswers('id,roll,1\n,7,B\nS2,8,#REF!\n', asked).problems).toEqual([
    { line: 3, code: 'excel_error', about: '#REF!' },
    { line: 2, code: 'empty', about: 'id' },
  ]);
  expect(readAnswers('roll,1\n7,B\n', asked).problems).toEqual([{ line: 1, code: 'no_column', about: 'id' }]);
  expect(readAnswers('id,5\n7,B\n', asked).problems).toEqual([
    { line: 1, code: 'unknown_column', about: '5' },
    { line: 1, code: 'no_column', about: '1' },
  ]);
});

const questionsOf = (table: string) => {
  const { questions, problems } = readQuestionTable(table);
  expect(problems).toEqual([]);
  return questions.map(({ type, options, answer, criteria, maxMarks }) => ({
    type,
    maxMarks,
    answer,
    options: options.map(({ label, text, isCorrect }) => `${label} ${text}${isCorrect ? ' *' : ''}`),
    criteria: criteria.map(({ name, marks }) => `${name} ${marks}`),
  }));
};

test('options and criteria may have bars and colons in their texts', () => {
  const table = [
    'label,type,text,marks,options,correct,criteria',
    '1,mcq,Which is |x|?,"1,5",A: |x| | B: 2 | C: -2,B,',
    '2,long,Why?,3,,,Ohm: states V = |I|R: 2 | Unit: 1',
  ].join('\n');
  expect(questionsOf(table)).toMatchObject([
    { maxMarks: 1.5, options: ['A |x|', 'B 2 *', 'C -2'] },
    { criteria: ['Ohm: states V = |I|R 2', 'Unit 1'] },
  ]);
});

test('types, keys and options are read as teachers write them', () => {
  const table = [
    'label,type,text,marks,options,correct,answer,Option A,Option B',
    '1,true/false,Water boils.,1,,,TRUE,,',
    '2,true_false,Ice is hot.,1,T: True | F: False,FALSE,,,',
    '3,MCQ (single),Pick,1,A: x | B: y,B.,,,',
    '4,Multiple choice,Pick,1,,y,,x,y',
    '5,numerical,How many?,1,,"3,5",,,',
  ].join('\n');
  expect(questionsOf(table)).toMatchObject([
    { type: 'true_false', options: ['T True *', 'F False'] },
    { type: 'true_false', options: ['T True', 'F False *'] },
    { type: 'mcq_single', options: ['A x', 'B y *'] },
    { type: 'mcq_single', options: ['A x', 'B y *'] },
    { type: 'numeric', answer: '3.5' },
  ]);
});

test('a key that is no option, an unknown column and a bar that separates nothing are problems', () => {
  const table = [
    'text,type,marks,options,correct,criteria,remark',
    'Pick,mcq,1,A: x | B: y,C,,',
    'Why?,long,3,,,Reason: much | Example: 1,',
  ].join('\n');
  expect(readQuestionTable(table).problems).toEqual([
    { line: 1, code: 'unknown_column', about: 'remark' },
    { line: 2, code: 'unknown_option', about: 'C' },
    { line: 3, code: 'bad_list', about: 'criteria' },
  ]);
});
