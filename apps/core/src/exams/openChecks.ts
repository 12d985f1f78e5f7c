import { DomainFailure } from '@evaluation/rest-contract/errors';

/**
 * Requires at least one question (docs/open-points.md). All other rules are checked before a question is stored.
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
