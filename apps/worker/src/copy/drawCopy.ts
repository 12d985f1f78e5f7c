import type { DrawingMaterial } from '@evaluation/core-client';
import type { MarkedQuestion } from '@evaluation/rules/grading-model';
import { noticeOf } from '@evaluation/grader';
import {
  drawCheckedCopy,
  toImageBox,
  type Annotation,
  type CheckedCopy,
  type DrawOptions,
  type PageImage,
} from '@evaluation/pdf';
import { markNote, totalsOf } from '@evaluation/rules';
import type { CopyResult } from './copyResult.ts';

interface MarkedCopy {
  images: PageImage[];
  exam: { title: string };
  candidate: DrawingMaterial['candidate'];
  results: readonly CopyResult[];
  overrides: DrawingMaterial['overrides'];
  markedBy: string;
}

/**
 * Draws the checked copy (docs/architecture.md#checked-copy), at the end of a run or after a teacher changed a mark.
 * @param target the file to draw into
 * @throws PdfUnreadable; the signal's reason when aborted
 */
export const drawCopy = (copy: MarkedCopy, target: string, options: DrawOptions): Promise<CheckedCopy> => {
  const decisions = new Map(copy.overrides.map((override) => [override.question_id, override]));
  const questions = copy.results.map(({ question, result }) => {
    const decision = decisions.get(question.id);
    return {
      ...(decision === undefined ? result : decided(question, result, decision.awarded)),
      comment: decision?.reason ?? null,
      counted: true,
      max: question.max_marks,
      question,
    };
  });
  return drawCheckedCopy(
    copy.images,
    target,
    {
      examTitle: copy.exam.title,
      candidate: {
        externalId: copy.candidate.external_id,
        name: copy.candidate.name,
        rollNumber: copy.candidate.roll_number,
      },
      totals: totalsOf(questions),
      questions: questions.map(({ question, status, awarded, max, needs_review, comment, ...result }) => ({
        label: question.label,
        section: question.section,
        awarded,
        max,
        status,
        needsReview: needs_review,
        comment,
        feedback: result.feedback,
        criteria: result.criteria,
      })),
      annotations: questions.flatMap(({ annotations }) => annotations).map(onImage(copy.images)),
      notice: noticeOf(copy.markedBy),
    },
    options,
  );
};

type Result = Omit<CopyResult['result'], 'criteria'> & {
  criteria: { name: string; awarded: number | null; max: number | null; reason: string | null }[];
};

/** A teacher who gives the AI's mark agrees with it: all that the AI drew and wrote stays. */
const decided = (question: MarkedQuestion, result: CopyResult['result'], awarded: number): Result =>
  result.awarded === awarded ? { ...result, needs_review: false } : overruled(question, result, awarded);

/**
 * Replaces the AI's mark with the teacher's. Marks of criteria are removed, because they add up to the AI's mark; their
 * reasons stay.
 */
const overruled = (question: MarkedQuestion, result: CopyResult['result'], awarded: number): Result => ({
  ...result,
  status: 'graded',
  awarded,
  needs_review: false,
  criteria: result.criteria.map(({ name, reason }) => ({ name, reason, awarded: null, max: null })),
  annotations: result.annotations
    .filter(({ kind }) => kind === 'mark')
    .map((annotation) => ({ ...annotation, text: markNote(question.label, awarded, question.max_marks) })),
});

/** Converts a box of the viewed page to one of the page image, on which the drawing looks for empty space. */
const onImage =
  (images: readonly PageImage[]) =>
  (annotation: Annotation): Annotation => {
    const image = images.find(({ page }) => page === annotation.page);
    return image === undefined ? annotation : { ...annotation, box: toImageBox(annotation.box, image) };
  };
