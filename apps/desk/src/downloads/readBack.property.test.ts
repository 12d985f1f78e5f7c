import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeFile } from '../../web/src/exams/files/decodeFile.ts';
import { readCandidates } from '../../web/src/exams/files/readCandidates.ts';
import { seenText } from '../../web/src/exams/files/sameText.ts';
import type { MarksPage } from './marksPages.ts';
import { resultsCsv } from './resultsCsv.ts';
import { answersTable, candidatesTable } from './resultsTable.ts';

interface Person {
  id: string;
  name: string;
}

const pageOf = (people: readonly Person[]): MarksPage => ({
  title: 'Exam',
  questions: [
    { question_id: 'q1', label: '1', max: 4 },
    { question_id: 'q2', label: '1,5', max: 2.5 },
  ],
  data: people.map(({ id, name }) => ({
    submission_id: id,
    candidate: { id, external_id: id, name, roll_number: name, section_or_class: null },
    status: 'graded',
    needs_review: false,
    finalized: false,
    has_checked_copy: false,
    awarded: 1,
    max: 6.5,
    marks: [1, 0],
    comments: [name, null],
    details: [
      { criteria: null, feedback: name },
      { criteria: null, feedback: null },
    ],
  })),
  next_cursor: null,
});

const SIGNS = `'="=+-@\t\r\n ,;|:^~＝0179.E/amMay\u00A0é\u200B`.split('');

test('the importer of the page reads ids and names of each CSV of results as they are stored', async () => {
  const sign = fc.oneof(fc.constantFrom(...SIGNS), fc.string({ unit: 'grapheme', maxLength: 1 }));
  const text = fc
    .array(sign, { maxLength: 8 })
    .map((signs) => signs.join(''))
    // PostgreSQL stores no NUL.
    .filter((written) => !written.includes('\0'));
  const person = fc.record({ id: text.filter((id) => seenText(id) !== ''), name: text });
  const people = fc.uniqueArray(person, { minLength: 1, maxLength: 5, selector: ({ id }) => id });
  await fc.assert(
    fc.asyncProperty(people, fc.constantFrom(answersTable, candidatesTable), async (stored, table) => {
      const pages = async function* () {
        yield pageOf(stored);
      };
      const csv = (await Array.fromAsync(resultsCsv(pages(), table))).join('');
      const decoded = decodeFile(new TextEncoder().encode(csv));
      if (decoded.kind !== 'text') throw new Error('the CSV is no text');
      const { candidates, problems } = readCandidates(decoded.text);
      expect(problems).toEqual([]);
      expect(candidates.map(({ idAsWritten, name = '' }) => [idAsWritten, name])).toEqual(
        stored.map(({ id, name }) => [id, seenText(name)]),
      );
    }),
    { numRuns: 300 },
  );
});
