import { createExam, type ApiClient } from '../../../tests/harness/api.ts';
import { longAnswer, mcq, typedExam } from '../../../tests/harness/papers.ts';
import type { Exam } from '@evaluation/rest-contract/schemas';

export type Paper = 'long answers' | 'objective answers';

export const openTypedExam = (api: ApiClient, paper: Paper, questions: number): Promise<Exam> =>
  createExam(
    api,
    typedExam(
      Array.from({ length: questions }, (_, at) =>
        paper === 'long answers' ? longAnswer(String(at + 1)) : mcq(String(at + 1)),
      ),
    ),
  );

let candidates = 0;

/** A submission of a new candidate. Each text has words of its own, since equal answers are judged once. */
export const typedSubmission = (
  paper: Paper,
  questions: number,
): { candidate: object; answers: object[] } => {
  candidates += 1;
  return {
    candidate: { external_id: `candidate-${candidates}` },
    answers: Array.from({ length: questions }, (_, at) => ({
      question_label: String(at + 1),
      ...(paper === 'long answers'
        ? { text: `Because of this and that, as candidate ${candidates} says. `.repeat(6) }
        : { option_labels: [candidates % 2 === 0 ? 'A' : 'B'] }),
    })),
  };
};
