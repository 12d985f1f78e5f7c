import { CANDIDATE_HEADINGS, STATE_HEADINGS } from '../../tables/resultColumns.ts';
import type { MarksPage } from './marksPages.ts';

export type CellValue = string | number | null;

type Questions = MarksPage['questions'];
type CandidateMarks = MarksPage['data'][number];

/** A table of results. */
export interface ResultsTable {
  header(questions: Questions): string[];
  /** @param questions columns of the table; a page of a paper that was edited meanwhile may have other questions */
  rows(page: MarksPage, questions: Questions): CellValue[][];
}

/** One row for each candidate, with a column for the marks of each question. */
export const candidatesTable: ResultsTable = {
  header: (questions) => [
    ...CANDIDATE_HEADINGS,
    ...STATE_HEADINGS,
    'Total',
    'Maximum',
    ...questions.map(({ label, max }) => `Question ${label} (${max})`),
    'Comments',
    'Criteria',
  ],
  rows: (page, questions) => {
    const placeOf = new Map(page.questions.map(({ question_id }, place) => [question_id, place]));
    return page.data.map((marked) => [
      ...cellsOfCandidate(marked),
      marked.awarded,
      marked.max,
      ...questions.map(({ question_id }) => marked.marks[placeOf.get(question_id) ?? -1] ?? null),
      linesOf(page.questions, (place) => marked.comments[place]),
      linesOf(page.questions, (place) => criteriaIn(marked, place)),
    ]);
  },
};

/** One row for each answer. */
export const answersTable: ResultsTable = {
  header: () => [
    ...CANDIDATE_HEADINGS,
    ...STATE_HEADINGS,
    'Question',
    'Marks',
    'Maximum',
    'Comment',
    'Criteria',
    'Feedback',
  ],
  rows: (page) =>
    page.data.flatMap((marked) =>
      page.questions.map(({ label, max }, place) => [
        ...cellsOfCandidate(marked),
        label,
        marked.marks[place] ?? null,
        max,
        marked.comments[place] ?? null,
        criteriaIn(marked, place),
        marked.details[place]?.feedback ?? null,
      ]),
    ),
};

const cellsOfCandidate = ({ candidate, status, needs_review, finalized }: CandidateMarks): CellValue[] => [
  candidate.external_id,
  candidate.roll_number,
  candidate.name,
  candidate.section_or_class,
  status,
  needs_review ? 'yes' : 'no',
  finalized ? 'yes' : 'no',
];

/** `Cause: 1/2; Example: 0/1` */
const criteriaIn = ({ details }: CandidateMarks, place: number): string | null =>
  details[place]?.criteria
    ?.map(({ name, awarded, max }) => `${name}: ${awarded ?? '–'}${max === null ? '' : `/${max}`}`)
    .join('; ') ?? null;

/** Texts of all questions of a candidate, one line each: most candidates have few. */
const linesOf = (
  questions: Questions,
  textAt: (place: number) => string | null | undefined,
): string | null => {
  const lines = questions.flatMap(({ label }, place) => {
    const text = textAt(place)?.trim() ?? '';
    return text === '' ? [] : [`${label}: ${text}`];
  });
  return lines.length === 0 ? null : lines.join('\n');
};
