import type { DrawingMaterial } from '@evaluation/core-client';
import {
  drawCheckedCopy,
  toImageBox,
  type Annotation,
  type CheckedCopy,
  type DrawOptions,
  type PageImage,
} from '@evaluation/pdf';
import { totalsOf } from '@evaluation/rules';
import { shownAnnotations } from '@evaluation/rules/marked-page';
import type { CopyResult } from './copyResult.ts';
import { withTeacherMark } from './teacherMark.ts';

interface MarkedCopy {
  images: PageImage[];
  exam: { title: string };
  candidate: DrawingMaterial['candidate'];
  results: readonly CopyResult[];
  overrides: DrawingMaterial['overrides'];
  ink: DrawingMaterial['ink'];
}

/**
 * Draws the checked copy (docs/architecture.md#checked-copy), at the end of a run or after a teacher changed a mark.
 * @param target the file to draw into
 * @throws PdfUnreadable; the signal's reason when aborted
 */
export const drawCopy = (copy: MarkedCopy, target: string, options: DrawOptions): Promise<CheckedCopy> => {
  const decisions = new Map(copy.overrides.map((override) => [override.question_id, override]));
  const questions = copy.results.map((marked) => {
    const { question, result } = marked;
    const decision = decisions.get(question.id);
    return {
      ...(decision === undefined ? result : withTeacherMark(marked, decision)),
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
      questions: questions.map(({ question, status, awarded, max, comment, ...result }) => ({
        label: question.label,
        section: question.section,
        awarded,
        max,
        status,
        comment,
        feedback: result.feedback,
        criteria: result.criteria,
      })),
      annotations: shownAnnotations(
        questions.map(({ question, ...result }) => ({ ...result, id: question.id, label: question.label })),
        copy.ink,
      ).map(onImage(copy.images)),
      ink: copy.ink,
    },
    options,
  );
};

/** Converts a box of the viewed page to one of the page image, on which the drawing looks for empty space. */
const onImage =
  (images: readonly PageImage[]) =>
  (annotation: Annotation): Annotation => {
    const image = images.find(({ page }) => page === annotation.page);
    return image === undefined ? annotation : { ...annotation, box: toImageBox(annotation.box, image) };
  };
