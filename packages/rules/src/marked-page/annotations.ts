import { markNote } from '../markNote.ts';
import { withoutRemoved, type Ink } from './ink.ts';
import type { Placed } from './layout.ts';

export interface OnPage extends Placed {
  page: number;
}

export interface AnnotatedQuestion {
  id: string;
  label: string;
  /** The mark that counts. */
  awarded: number | null;
  max: number;
  annotations: readonly OnPage[];
}

export interface ShownAnnotation extends OnPage {
  questionId: string;
}

/**
 * The annotations of a copy, on the screen and on the checked copy: without those that a teacher removed, and with the
 * marks that count. A question without an answer has its mark after the question before it, where its answer was
 * expected.
 * @param questions all of the paper, in its order
 */
export const shownAnnotations = (
  questions: readonly AnnotatedQuestion[],
  ink: readonly Ink[],
): ShownAnnotation[] => {
  const pages = questions.flatMap(({ annotations }) => annotations.map(({ page }) => page));
  let expected = { page: pages.length === 0 ? 1 : Math.min(...pages), y: 0 };
  return questions.flatMap(({ id, label, awarded, max, annotations }) => {
    const [first] = annotations;
    const note = awarded === null ? null : markNote(label, awarded, max);
    if (first === undefined) {
      const box = { x: 1, y: expected.y, width: 0, height: 0 };
      const missing: ShownAnnotation[] =
        note === null ? [] : [{ questionId: id, page: expected.page, kind: 'mark', box, text: note }];
      return withoutRemoved(id, missing, ink);
    }
    expected = { page: first.page, y: Math.min(first.box.y + first.box.height, MOST_Y) };
    return withoutRemoved(id, annotations, ink).map((annotation) => ({
      ...annotation,
      text: annotation.kind === 'mark' ? (note ?? annotation.text) : annotation.text,
      questionId: id,
    }));
  });
};

/** Above the lower edge of the page. */
const MOST_Y = 0.97;
