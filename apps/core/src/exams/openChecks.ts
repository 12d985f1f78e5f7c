import { DomainFailure } from '@evaluation/rest-contract/errors';

/**
 * What an exam needs before copies are accepted (docs/open-points.md): at least one question. That each
 * question obeys the rules of creation, rubric sums included, is a fact already: nothing else is ever stored.
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
