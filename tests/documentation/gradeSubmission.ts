import type { RecordedQuestion } from '@evaluation/core-client';
import type { TestService } from '../harness/service.ts';
import { takeRun } from '../harness/takeRun.ts';
import { NOTHING_USED } from '../harness/testWorker.ts';

/** Grades a submission as a worker does: full marks for all criteria but the last. */
export const gradeSubmission = async (service: TestService, submissionId: string): Promise<void> => {
  const { material, held } = await takeRun(service, submissionId);
  const questions = material.questions.flatMap((question) => {
    const answer = material.answers.find(({ question_id }) => question_id === question.id);
    if (material.lane === 'typed' && answer === undefined) return [];
    return [{ result: resultOf(question, answer?.text ?? 'B') }];
  });
  await service.grading.as({}).grading.record.mutate({
    held,
    questions,
    used: NOTHING_USED,
    completion: { checked_copy: null, review_reasons: [], ...NOTHING_USED },
  });
};

type Question = Awaited<ReturnType<typeof takeRun>>['material']['questions'][number];

const resultOf = (question: Question, answer: string): RecordedQuestion => {
  const criteria = (question.rubric?.criteria ?? []).map(({ name, marks }, index, all) => {
    const isLast = index === all.length - 1;
    return {
      name,
      max: marks,
      awarded: isLast ? marks / 2 : marks,
      reason: isLast ? 'The unit is named and not derived.' : 'The law is stated in full.',
    };
  });
  return {
    question_id: question.id,
    status: 'graded',
    awarded:
      criteria.length === 0 ? question.max_marks : criteria.reduce((sum, { awarded }) => sum + awarded, 0),
    confidence: 0.92,
    needs_review: false,
    review_reasons: [],
    extracted_answer: answer,
    feedback: criteria.length === 0 ? 'Right.' : 'The law is stated correctly. Derive the unit of force too.',
    criteria,
    annotations: [],
    error: null,
  };
};
