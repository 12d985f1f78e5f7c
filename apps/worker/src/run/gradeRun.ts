import { GraderFailure } from '@evaluation/grader';
import { PdfUnreadable } from '@evaluation/pdf';
import { gradeCopy } from '../copy/gradeCopy.ts';
import { gradeTyped } from '../typed/gradeTyped.ts';
import { RunLost, type HeldRun } from './heldRun.ts';
import { isOutOfTime } from './outOfTime.ts';
import { NotGradable, type Tools } from './tools.ts';

/** Grades a run to its end: complete, failed, or lost to somebody else. Only what is a bug is thrown. */
export const gradeRun = async (tools: Tools, run: HeldRun): Promise<void> => {
  try {
    await (run.material.lane === 'copy' ? gradeCopy(tools, run) : gradeTyped(tools, run));
  } catch (error) {
    if (run.signal.aborted || error instanceof RunLost) return;
    const failure = failureFor(error, run);
    tools.log.warn({ err: error, run_id: run.material.run_id, code: failure.code }, 'a run failed');
    await run
      .write((grading, held) => grading.fail.mutate({ held, error: failure }))
      .catch((refused: unknown) => {
        if (!(refused instanceof RunLost) && !run.signal.aborted) throw refused;
      });
  }
};

const failureFor = (error: unknown, run: HeldRun): { code: string; message: string } => {
  if (error instanceof NotGradable) return { code: error.code, message: error.message };
  if (error instanceof PdfUnreadable) {
    return {
      code: 'copy_unreadable',
      message: 'The copy could not be opened for reading. Scan it again and submit the new file.',
    };
  }
  if (isOutOfTime(error, run)) {
    return { code: 'timed_out', message: 'Grading took too long. Evaluate the submission again.' };
  }
  if (error instanceof GraderFailure) {
    return {
      code: 'grading_failed',
      message: 'The model could not grade this submission. Evaluate it again later.',
    };
  }
  return {
    code: 'grading_failed',
    message: 'Grading broke down on our side. Evaluate the submission again later.',
  };
};
