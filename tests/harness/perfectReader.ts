import type { Truth } from '@evaluation/test-services';
import type { QuestionInput } from '@evaluation/rest-contract/schemas';
import { examBody, headOf, type CopyTruth } from '../fixtures/fixtures.ts';

/** Makes the model server read a copy without errors, and mark it like the fixtures' examiner. */
export const truthFor = (copy: CopyTruth): Truth => {
  const questions = new Map(
    (examBody('science').questions ?? []).map((question) => [question.label, question]),
  );
  return {
    pagesByNumber: Object.fromEntries(
      copy.pages.map(({ page, blocks }) => [
        page,
        {
          blocks: blocks.map((block) => ({
            label: block.written_label,
            text: block.text,
            continues: block.continues,
            crossedOut: block.crossed_out,
            box: block.box,
          })),
          printed: [headOf(page)],
        },
      ]),
    ),
    // Questions without a rubric in the exam get the examiner's marks as a whole.
    rubrics: Object.fromEntries(
      copy.questions
        .filter(({ criteria }) => criteria.length === 0)
        .map(({ label, max }) => [label, [{ name: 'Answer', marks: max }]]),
    ),
    judgements: Object.fromEntries(
      copy.questions.map(({ label, text, awarded, criteria, feedback }) => [
        label,
        {
          awards: criteria.length > 0 ? criteria.map((criterion) => criterion.awarded) : [awarded],
          feedback,
          ...finalAnswer(questions.get(label), text ?? ''),
        },
      ]),
    ),
  };
};

/** The short answer to an objective question: the option letters, the last number, or the word. */
const finalAnswer = (
  question: QuestionInput | undefined,
  text: string,
): { options?: string[]; value?: string } => {
  switch (question?.type) {
    case 'mcq_single':
    case 'mcq_multi':
      return {
        options:
          text.length === 1 ? [text] : [...text.matchAll(/\b([A-D])\)/g)].map(([, letter = '']) => letter),
      };
    case 'true_false':
      return { options: [text] };
    case 'numeric':
      return { value: /([\d.]+)\D*$/.exec(text)?.[1] ?? text };
    default:
      return { value: text };
  }
};
