import {
  guidedMark,
  isDrawnForAudit,
  modelOfVersion,
  predict,
  restoreGuide,
  scaleOf,
  versionSha256,
} from '@evaluation/guide';
import type { CheckedBundle, DecidedQuestion } from './bundle.ts';

/**
 * Computes the mark that a guide has set, from the grader's mark. Questions without a guide stay as they are.
 * @param question as the grader marked it
 */
export const guided = (
  { bundle, parts }: CheckedBundle,
  question: DecidedQuestion,
  problems: string[],
): DecidedQuestion => {
  const part = parts.guides.get(question.question_id);
  if (part === undefined) return question;
  const name = `question ${question.question_id}`;
  const { awarded, extracted_answer, max } = question;
  if (question.status !== 'graded' || awarded === null || extracted_answer === null) {
    problems.push(`${name}: the evidence has a guide for a question without the grader's mark`);
    return question;
  }
  if (versionSha256(part.constants, part.examples) !== part.sha256) {
    problems.push(`${name}: the examples of the guide differ from its version`);
    return question;
  }
  const texts = new Map(part.examples.flatMap(({ run_id, text }) => (text === null ? [] : [[run_id, text]])));
  const model = modelOfVersion(part.constants, part.examples, texts);
  if (model === null) {
    problems.push(`${name}: the answer of an example of the guide was erased or changed`);
    return question;
  }
  const prediction = predict(
    restoreGuide(model),
    { text: extracted_answer, graderShare: awarded / max },
    { ...scaleOf(model), maxMarks: max },
  );
  const { confidence, needs_review, review_reasons } = question;
  const isDrawn = isDrawnForAudit(part.sha256, { run_id: bundle.run.id, question_id: question.question_id });
  const { after } = guidedMark({ awarded, confidence, needs_review, review_reasons }, prediction, {
    threshold: part.threshold,
    isDrawn,
  });
  return { ...question, ...after };
};
