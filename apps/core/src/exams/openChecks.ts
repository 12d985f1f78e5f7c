import { DomainFailure } from '@evaluation/rest-contract/errors';

/**
 * Checks that an exam can accept copies (docs/open-points.md): it needs at least one question. The other rules of a
 * paper, rubric sums included, are checked before any question is stored.
 * @throws DomainFailure exam_not_ready
 */
export const checkReady = (paper: { questions: number }): void => {
  if (paper.questions > 0) return;
  throw new DomainFailure('exam_not_ready', {
    details: {
      errors: [
        {
          field: 'questions',
          code: 'required',
          message: 'An exam needs at least one question to be opened.',
        },
      ],
    },
  });
};
