import { CANDIDATE_HEADINGS, STATE_HEADINGS } from '../../tables/resultColumns.ts';
import type { MarksPage } from './marksPages.ts';

export type CellValue = string | number | null;

type Questions = MarksPage['questions'];

export const headerOf = (questions: Questions): string[] => [
  ...CANDIDATE_HEADINGS,
  ...STATE_HEADINGS,
  'Total',
  'Maximum',
  ...questions.map(({ label, max }) => `Question ${label} (${max})`),
  'Comments',
];

/** @param questions columns of the table; a page of a paper that was edited meanwhile may have other questions */
export const rowsOf = (page: MarksPage, questions: Questions): CellValue[][] => {
  const placeOf = new Map(page.questions.map(({ question_id }, place) => [question_id, place]));
  return page.data.map(({ candidate, status, needs_review, finalized, awarded, max, marks, comments }) => [
    candidate.external_id,
    candidate.roll_number,
    candidate.name,
    candidate.section_or_class,
    status,
    needs_review ? 'yes' : 'no',
    finalized ? 'yes' : 'no',
    awarded,
    max,
    ...questions.map(({ question_id }) => marks[placeOf.get(question_id) ?? -1] ?? null),
    commentsIn(page.questions, comments),
  ]);
};

/** Of all questions of a candidate, one line each: most candidates have few. */
const commentsIn = (questions: Questions, comments: readonly (string | null)[]): string | null => {
  const lines = questions.flatMap(({ label }, place) => {
    const comment = comments[place]?.trim() ?? '';
    return comment === '' ? [] : [`${label}: ${comment}`];
  });
  return lines.length === 0 ? null : lines.join('\n');
};
