import { useEffect, useState } from 'react';
import { useStaff } from '../app/session.ts';
import { isEmptyDraft, keepDraft, readDraft, type Draft } from './drafts.ts';
import type { Screen, ScreenQuestion } from './types.ts';
import type { Decisions } from './useDecisions.ts';

/** Marks have at most 4 decimals; binary fractions of a sum are cut off. */
const sumOf = (marks: readonly string[]): number =>
  Math.round(marks.reduce((sum, text) => sum + Number(text), 0) * 10_000) / 10_000;

/** NaN for an empty field, which `Number` reads as 0. */
const marksIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** What was typed and does not count already. */
const openPart = (typed: Draft, shown: Required<Draft>): Draft => ({
  ...(typed.marks === undefined || Object.is(marksIn(typed.marks), marksIn(shown.marks))
    ? {}
    : { marks: typed.marks }),
  ...(typed.criteria === undefined || JSON.stringify(typed.criteria) === JSON.stringify(shown.criteria)
    ? {}
    : { criteria: typed.criteria }),
  ...(typed.comment === undefined || typed.comment === shown.comment ? {} : { comment: typed.comment }),
  ...(typed.feedback === undefined || typed.feedback === shown.feedback ? {} : { feedback: typed.feedback }),
});

/**
 * The fields of the form: what the examiner has typed, and elsewhere what counts. So a field follows the mark that
 * counts, such as after an undo, until something is typed in it.
 */
export const useMarkDraft = (screen: Screen, { result }: ScreenQuestion, { counts }: Decisions) => {
  const staff = useStaff();
  const place = `${result.question_id} ${screen.submission_id}`;
  const [typed, setTyped] = useState<Draft>(() => readDraft(staff.id, place));
  const [isRestored, setRestored] = useState(!isEmptyDraft(typed));
  const shown = {
    marks: String(counts.awarded ?? ''),
    criteria: counts.criteria?.map(String) ?? null,
    comment: counts.reason ?? '',
    feedback: counts.feedback ?? result.feedback ?? '',
  };
  const open = openPart(typed, shown);
  useEffect(
    () => keepDraft(staff.id, place, open),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the part is a new object on each drawing
    [staff.id, place, JSON.stringify(open)],
  );
  const draft = { ...shown, ...typed };
  /** Marks in the fields of the criteria: those of the draft, else those of the result. */
  const criteria = draft.criteria ?? result.criteria.map(({ awarded }) => String(awarded ?? 0));
  const isSumTyped =
    criteria.length > 0 &&
    draft.criteria === null &&
    draft.marks.trim() !== '' &&
    Number(draft.marks) !== sumOf(criteria);

  return {
    ...draft,
    criteria,
    /** True if the criteria do not add up to the sum, which was typed. */
    isSumTyped,
    /** True while fields show what was typed before the page was left. */
    isRestored: isRestored && !isEmptyDraft(open),
    type: (change: Pick<Draft, 'comment' | 'feedback'>): void =>
      setTyped((before) => ({ ...before, ...change })),
    typeMarks: (marks: string): void =>
      setTyped((before) => ({
        ...before,
        marks,
        // The marks of the criteria count no more, unless they add up to the new sum.
        ...(draft.criteria !== null && sumOf(draft.criteria) !== Number(marks) ? { criteria: null } : {}),
      })),
    typeCriterion: (index: number, text: string): void => {
      const all = criteria.map((marks, at) => (at === index ? text : marks));
      setTyped((before) => ({ ...before, criteria: all, marks: String(sumOf(all)) }));
    },
    /** What to send beside the mark and the comment. */
    details: {
      criteria: draft.criteria?.map(marksIn) ?? null,
      feedback: typed.feedback ?? counts.feedback,
    },
    discard: (): void => setTyped({}),
    /** Removes what was confirmed. What was typed meanwhile stays. */
    confirmed: (sent: Draft): void => {
      setRestored(false);
      setTyped((now) => ({
        ...(now.marks === undefined || now.marks === sent.marks ? {} : { marks: now.marks }),
        ...(now.criteria === undefined || now.criteria === sent.criteria ? {} : { criteria: now.criteria }),
        ...(now.comment === undefined || now.comment === sent.comment ? {} : { comment: now.comment }),
        ...(now.feedback === undefined || now.feedback === sent.feedback ? {} : { feedback: now.feedback }),
      }));
    },
    typed,
  };
};
export type MarkDraft = ReturnType<typeof useMarkDraft>;
