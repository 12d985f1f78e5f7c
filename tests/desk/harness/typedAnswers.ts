import type { Exam } from '@evaluation/rest-contract/schemas';
import { createExam, submit, untilOver, type ApiClient } from '../../harness/api.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';

/** Answers of different worth to the same question. */
export const ANSWERS = [
  'Ice is less dense than water.',
  'It is lighter because of an open lattice of molecules.',
  'Ice floats since it is cold.',
  'The molecules of ice form an open lattice, so ice is less dense and floats.',
  'Because water is heavy.',
  'Less dense than water, and that is why ice floats.',
  'Ice has air in it.',
  'Its open lattice makes ice less dense.',
];

/**
 * Makes an exam of a choice (question 1) and a long answer (question 2), submits `ANSWERS`, and waits until all are
 * graded. @returns the exam, and the submissions in the order of `ANSWERS`
 */
export const submitTypedAnswers = async (
  api: ApiClient,
  candidateOf: (number: number) => { external_id: string; name?: string },
): Promise<{ exam: Exam; submissions: readonly string[] }> => {
  const essay = longAnswer('2', {
    text: 'Why does ice float?',
    model_answer: 'Ice floats because it is less dense than water, since its molecules form an open lattice.',
    max_marks: 4,
  });
  const exam = await createExam(api, typedExam([mcq('1'), essay], { title: 'Water and ice' }));
  const submitted = await Promise.all(
    ANSWERS.map((text, index) =>
      submit(api, exam.id, {
        candidate: candidateOf(index + 1),
        answers: [
          { question_label: '1', option_labels: ['B'] },
          { question_label: '2', text },
        ],
      }),
    ),
  );
  for (const { id } of submitted) await untilOver(api, id);
  return { exam, submissions: submitted.map(({ id }) => id) };
};
