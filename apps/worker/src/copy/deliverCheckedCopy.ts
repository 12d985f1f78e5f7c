import { join } from 'node:path';
import { drawCheckedCopy, PdfUnreadable, toImageBox, type Annotation, type PageImage } from '@evaluation/pdf';
import { totalsOf } from '@evaluation/rules';
import type { Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import type { CopyResult } from './copyResult.ts';
import { StoreRefused, upload } from './download.ts';

/**
 * Draws the checked copy and puts it into the store (design 3.13). A copy that cannot be drawn or stored does not take the marks
 * with it: the submission is graded, and its checked copy is not available.
 */
export const deliverCheckedCopy = async (
  tools: Tools,
  run: HeldRun,
  copy: { folder: string; source: string; images: PageImage[]; results: readonly CopyResult[] },
): Promise<{ size_bytes: number } | null> => {
  const { material } = run;
  const target = join(copy.folder, 'checked.pdf');
  const questions = copy.results.map(({ question, result }) => ({
    ...result,
    counted: true,
    max: question.max_marks,
    question,
  }));
  try {
    const drawn = await drawCheckedCopy(
      copy.source,
      target,
      {
        examTitle: material.exam.title,
        candidate: {
          externalId: material.candidate.external_id,
          name: material.candidate.name,
          rollNumber: material.candidate.roll_number,
        },
        totals: totalsOf(questions),
        questions: questions.map(({ question, status, awarded, max, needs_review, feedback, criteria }) => ({
          label: question.label,
          section: question.section,
          awarded,
          max,
          status,
          needsReview: needs_review,
          feedback,
          criteria,
        })),
        annotations: questions.flatMap(({ annotations }) => annotations).map(onImage(copy.images)),
        notice: tools.grader.notice,
      },
      { pageImages: copy.images, timeoutSeconds: tools.settings.pdfSeconds, signal: run.signal },
    );
    const address = () =>
      run.write((grading, held) => grading.presignCheckedCopy.mutate({ held, size_bytes: drawn.sizeBytes }));
    await upload(address, target, run);
    return { size_bytes: drawn.sizeBytes };
  } catch (error) {
    if (!(error instanceof PdfUnreadable) && !(error instanceof StoreRefused)) throw error;
    tools.log.warn({ err: error, run_id: material.run_id }, 'the checked copy could not be made');
    return null;
  }
};

/** Results speak of the viewed page; the drawing finds empty paper on the page images, so it takes their boxes. */
const onImage =
  (images: readonly PageImage[]) =>
  (annotation: Annotation): Annotation => {
    const image = images.find(({ page }) => page === annotation.page);
    return image === undefined ? annotation : { ...annotation, box: toImageBox(annotation.box, image) };
  };
