/*
 * Drafts of marks: what an examiner has typed for a question and not confirmed. They stay in this browser, apart from
 * those of other people, through a change of page, a reload and the end of a session, until they are confirmed or
 * discarded. Limit: the MOST_DRAFTS latest ones of a person are kept.
 */

/** Only the fields that were typed. `criteria`: null after the sum was typed. */
export interface Draft {
  marks?: string;
  criteria?: readonly string[] | null;
  comment?: string;
  feedback?: string;
}

const MOST_DRAFTS = 200;
const keyOf = (staffId: string): string => `evaluation-desk-drafts-${staffId}`;

const isText = (value: unknown): value is string => typeof value === 'string';
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const draftFrom = (value: unknown): Draft => {
  if (!isRecord(value)) return {};
  const { marks, criteria, comment, feedback } = value;
  return {
    ...(isText(marks) ? { marks } : {}),
    ...(criteria === null || (Array.isArray(criteria) && criteria.every(isText)) ? { criteria } : {}),
    ...(isText(comment) ? { comment } : {}),
    ...(isText(feedback) ? { feedback } : {}),
  };
};

const readAll = (staffId: string): Record<string, unknown> => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(staffId)) ?? '{}');
    return isRecord(kept) ? kept : {};
  } catch {
    return {};
  }
};

export const isEmptyDraft = (draft: Draft): boolean => Object.keys(draft).length === 0;

/** @param place question and submission */
export const readDraft = (staffId: string, place: string): Draft => draftFrom(readAll(staffId)[place]);

/** Keeps the draft, or removes it if nothing is typed. */
export const keepDraft = (staffId: string, place: string, draft: Draft): void => {
  const { [place]: before, ...others } = readAll(staffId);
  if (before === undefined && isEmptyDraft(draft)) return;
  const all = isEmptyDraft(draft) ? others : { ...others, [place]: draft };
  try {
    localStorage.setItem(
      keyOf(staffId),
      JSON.stringify(Object.fromEntries(Object.entries(all).slice(-MOST_DRAFTS))),
    );
  } catch {
    // A full disk: the draft stays on the page only.
  }
};
