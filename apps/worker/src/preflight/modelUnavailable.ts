import type { UnavailableReason } from '@evaluation/grader';

/** A run could not be graded for something that is wrong with the endpoint, and not with the run. */
export class ModelUnavailable extends Error {
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason) {
    super(`the grading model is not available: ${reason}`);
    this.name = 'ModelUnavailable';
    this.reason = reason;
  }
}
