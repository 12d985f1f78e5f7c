import type { Grader } from '@evaluation/grader';
import type { WorkerSettings } from '@evaluation/settings';
import type { Logger } from '@evaluation/telemetry';

/** What the runs of a lane are graded with in this worker. */
export interface Tools {
  grader: Grader;
  settings: WorkerSettings;
  log: Logger;
}

/** A copy that cannot be graded, with the code that its submission shows (spec 3.2). */
export class NotGradable extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'NotGradable';
    this.code = code;
  }
}
