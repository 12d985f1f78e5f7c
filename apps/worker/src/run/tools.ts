import type { Grader } from '@evaluation/grader';
import { gradingError, type GradingFailure } from '@evaluation/rest-contract/grading-failures';
import type { WorkerSettings } from '@evaluation/platform/settings';
import type { Logger } from '@evaluation/platform/telemetry';

export interface Tools {
  grader: Grader;
  settings: WorkerSettings;
  log: Logger;
}

export class NotGradable extends Error {
  readonly reason: GradingFailure;

  constructor(reason: GradingFailure) {
    super(gradingError(reason).message);
    this.name = 'NotGradable';
    this.reason = reason;
  }
}
