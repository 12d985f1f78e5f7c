import type { Command } from 'commander';
import { count, id } from '../arguments.ts';
import { withControl, type Control } from '../control.ts';
import { example, print } from '../output.ts';
import { EXAM, examOf, withExam, type NamedExam } from './namedExam.ts';

type OfVersion = NamedExam & { rubricVersion: number };

export const addRegradeCommands = (program: Command): void => {
  const regrade = program
    .command('regrade')
    .description('Grade again what was graded by an older rubric or model answer');

  withExam(regrade.command('preview'))
    .description('Show how many submissions are outdated, and what grading them again costs')
    .addHelpText('after', example(`regrade preview ${EXAM}`))
    .action(preview);
  withExam(regrade.command('start'))
    .description('Grade all outdated submissions again. Run the command again to resume it')
    .requiredOption('--rubric-version <number>', 'version that the preview showed', count)
    .addHelpText('after', example(`regrade start ${EXAM} --rubric-version 2`))
    .action(start);
  withExam(regrade.command('restore'))
    .description(
      'Show the last completed marks of a submission again, whose new grading was cancelled or failed',
    )
    .requiredOption('--submission <id>', 'id of the submission', id)
    .addHelpText(
      'after',
      example(`regrade restore ${EXAM} --submission 0b6e9f7a-3c1d-4f52-9a8e-5d2c7b4a1e60`),
    )
    .action(restore);
};

const restore = async (options: NamedExam & { submission: string }, command: Command): Promise<void> => {
  const { id: submission_id, status } = await withControl((control) =>
    control.regrade.restore.mutate({ ...examOf(options), submission_id: options.submission }),
  );
  print({ submission_id, status }, command, [
    `submission ${submission_id} is ${status} again, without a charge`,
  ]);
};

const preview = async (options: NamedExam, command: Command): Promise<void> => {
  const bill = await withControl((control) => control.regrade.preview.query(examOf(options)));
  print(bill, command, [
    `Rubric version ${bill.rubric_version}: ${bill.outdated} submission(s) outdated, ${bill.credits} of ${bill.available} credits`,
    ...bill.questions.map(({ label, changed_in }) => `question ${label}: changed in version ${changed_in}`),
    ...Object.entries(bill.skipped).map(([reason, skipped]) => `left alone (${reason}): ${skipped}`),
    `Start it: regrade start --rubric-version ${bill.rubric_version}`,
  ]);
};

const start = async (options: OfVersion, command: Command): Promise<void> => {
  const wanted = { ...examOf(options), rubric_version: options.rubricVersion };
  const { queued, remaining, stopped } = await withControl((control) => startAll(control, wanted));
  print({ queued, remaining, stopped }, command, [
    `${queued} submission(s) queued, ${remaining} left${stopped === null ? '' : `: ${stopped.message}`}`,
  ]);
};

/** Each call queues a portion. If a call queues no submission, the remaining ones cannot be queued now. */
const startAll = async (control: Control, wanted: Parameters<Control['regrade']['start']['mutate']>[0]) => {
  let queued = 0;
  for (;;) {
    const { queued: ids, remaining, stopped } = await control.regrade.start.mutate(wanted);
    queued += ids.length;
    if (remaining === 0 || stopped !== null || ids.length === 0) return { queued, remaining, stopped };
  }
};
