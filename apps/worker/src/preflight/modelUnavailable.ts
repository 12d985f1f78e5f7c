import type { UnavailableReason } from '@evaluation/grader';

export class ModelUnavailable extends Error {
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason) {
    super(`the grading model is not available: ${reason}`);
    this.name = 'ModelUnavailable';
    this.reason = reason;
  }
}
