import { InvalidArgumentError, Option, type Command } from 'commander';
import { attempt, id } from '../arguments.ts';
import { withControl, type Control } from '../control.ts';
import { CommandFailure, INVALID_ARGUMENTS } from '../failures.ts';
import { example, print } from '../output.ts';

interface Named {
  institute?: string;
  exam: string;
}

const MODES = ['off', 'suggest', 'apply'] as const;
const IDS = '--exam 7c1f0a52-9d7b-4b0e-8f3c-2a6a5b1f4e90';

export const addGuideCommands = (program: Command): void => {
  const guide = program
    .command('guide')
    .description('Marks learned from a teacher: show, preview, apply or undo them in an exam');

  named(guide.command('show'))
    .description('Show mode, target, examples and the latest application of an exam')
    .addHelpText('after', example(`guide show ${IDS}`))
    .action(show);
  named(guide.command('set'))
    .description('Set the mode or the target agreement of an exam. No mark changes')
    .addOption(new Option('--mode <mode>', 'what guides do in the exam').choices(MODES))
    .option('--target <share>', 'wanted agreement of marks that pass without review, such as 0.95', share)
    .option('--resume-passing', 'let marks pass again after the audit stopped it')
    .addHelpText('after', example(`guide set ${IDS} --mode apply --target 0.95`))
    .action(set);
  named(guide.command('preview'))
    .description('Count what the guides would change, without a change')
    .addHelpText('after', example(`guide preview ${IDS}`))
    .action(preview);
  named(guide.command('apply'))
    .description('Apply a preview to the marks of the exam. Run the command again to resume it')
    .requiredOption('--number <number>', 'number of the preview', attempt)
    .addHelpText('after', example(`guide apply ${IDS} --number 1`))
    .action((options: Named & { number: number }, command: Command) => run('apply', options, command));
  named(guide.command('undo'))
    .description('Restore the marks that an application changed. Run the command again to resume it')
    .requiredOption('--number <number>', 'number of the application', attempt)
    .addHelpText('after', example(`guide undo ${IDS} --number 1`))
    .action((options: Named & { number: number }, command: Command) => run('undo', options, command));
};

const named = (command: Command): Command =>
  command
    .requiredOption('--exam <id>', 'id of the exam', id)
    .option('--institute <id>', 'institute of the exam: another one is refused (default: looked up)', id);

const share = (text: string): number => {
  const value = Number(text);
  if (!/^0\.\d{1,3}$/.test(text) || value < 0.5) {
    throw new InvalidArgumentError('A number from 0.5 to 0.999 with at most three decimals.');
  }
  return value;
};

const wantedOf = ({ institute, exam }: Named) => ({ institute_id: institute, exam_id: exam });

const show = async (options: Named, command: Command): Promise<void> => {
  const shown = await withControl((control) => control.guide.show.query(wantedOf(options)));
  print(shown, command, [
    `Mode ${shown.mode}, target ${shown.target}${shown.passing_stopped_at === null ? '' : ', passing stopped by the audit'}`,
    `In force: ${shown.in_force === null ? 'no application' : `application ${shown.in_force}`}`,
    ...shown.questions.map(
      ({ label, examples, version }) =>
        `Question ${label}: ${examples} example(s)${version === null ? '' : `, version ${version}`}`,
    ),
  ]);
};

const set = async (
  options: Named & { mode?: (typeof MODES)[number]; target?: number; resumePassing?: true },
  command: Command,
): Promise<void> => {
  const { mode, target, resumePassing } = options;
  if (mode === undefined && target === undefined && resumePassing === undefined) {
    throw new CommandFailure(INVALID_ARGUMENTS, 'Name a change: --mode, --target or --resume-passing.', 2);
  }
  const after = await withControl((control) =>
    control.guide.set.mutate({ ...wantedOf(options), mode, target, resume_passing: resumePassing }),
  );
  print(after, command, [`Mode ${after.mode}, target ${after.target}.`]);
};

type Application = Awaited<ReturnType<Control['guide']['preview']['mutate']>>;

const preview = async (options: Named, command: Command): Promise<void> => {
  const wanted = wantedOf(options);
  const application = await withControl(async (control) => {
    let found = await control.guide.preview.mutate(wanted);
    while (found.step === 'previewing') {
      found = await control.guide.preview.mutate({ ...wanted, number: found.number });
    }
    return found;
  });
  print(application, command, [
    ...linesOf(application, application.preview),
    `Apply it: guide apply --number ${application.number}`,
  ]);
};

/** Each call works for some seconds; core continues by itself if the command is stopped. */
const run = async (
  step: 'apply' | 'undo',
  options: Named & { number: number },
  command: Command,
): Promise<void> => {
  const wanted = { ...wantedOf(options), number: options.number };
  const procedure = step === 'apply' ? 'applyPreview' : 'undo';
  const application = await withControl(async (control) => {
    let found = await control.guide[procedure].mutate(wanted);
    while (found.step === 'applying' || found.step === 'undoing') {
      found = await control.guide[procedure].mutate(wanted);
    }
    return found;
  });
  print(
    application,
    command,
    linesOf(application, step === 'apply' ? application.applied : application.undone),
  );
};

const linesOf = ({ number, step }: Application, tally: Application['applied']): string[] => [
  `Application ${number}: ${step}`,
  ...(tally === null
    ? []
    : [
        `${tally.changed} of ${tally.results} marks change (${tally.raised} up, ${tally.lowered} down, sum ${tally.difference}); ${tally.credits} credits`,
        ...Object.entries(tally.skipped).map(([reason, count]) => `left alone (${reason}): ${count}`),
      ]),
];
