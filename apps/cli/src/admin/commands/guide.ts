import { InvalidArgumentError, Option, type Command } from 'commander';
import { attempt } from '../arguments.ts';
import { withControl, type Control } from '../control.ts';
import { CommandFailure, INVALID_ARGUMENTS } from '../failures.ts';
import { example, print } from '../output.ts';
import { EXAM, examOf, withExam, type NamedExam } from './namedExam.ts';

interface Step extends NamedExam {
  number?: number;
}

const MODES = ['off', 'suggest', 'apply'] as const;
export const addGuideCommands = (program: Command): void => {
  const guide = program
    .command('guide')
    .description('Marks learned from a teacher: show, preview, apply or undo them in an exam');

  withExam(guide.command('show'))
    .description('Show mode, target, examples and the latest application of an exam')
    .addHelpText('after', example(`guide show ${EXAM}`))
    .action(show);
  withExam(guide.command('set'))
    .description('Set the mode or the target agreement of an exam. No mark changes')
    .addOption(new Option('--mode <mode>', 'what guides do in the exam').choices(MODES))
    .option('--target <share>', 'wanted agreement of marks that pass without review, such as 0.95', share)
    .option('--resume-passing', 'let marks pass again after the audit stopped it')
    .addHelpText('after', example(`guide set ${EXAM} --mode apply --target 0.95`))
    .action(set);
  withExam(guide.command('preview'))
    .description('Count what the guides would change, without a change')
    .option('--list', 'list each result whose marks would change', false)
    .addHelpText('after', example(`guide preview ${EXAM} --list`))
    .action(preview);
  withExam(guide.command('apply'))
    .description('Apply a preview to the marks of the exam. Run the command again to resume it')
    .option('--number <number>', 'number of the preview (default: the latest one)', attempt)
    .addHelpText('after', example(`guide apply ${EXAM} --number 1`))
    .action((options: Step, command: Command) => run('apply', options, command));
  withExam(guide.command('undo'))
    .description('Restore the marks that an application changed. Run the command again to resume it')
    .option('--number <number>', 'number of the application (default: the one in force)', attempt)
    .addHelpText('after', example(`guide undo ${EXAM} --number 1`))
    .action((options: Step, command: Command) => run('undo', options, command));
};

const share = (text: string): number => {
  const value = Number(text);
  if (!/^0\.\d{1,3}$/.test(text) || value < 0.5) {
    throw new InvalidArgumentError('A number from 0.5 to 0.999 with at most three decimals.');
  }
  return value;
};

const show = async (options: NamedExam, command: Command): Promise<void> => {
  const shown = await withControl((control) => control.guide.show.query(examOf(options)));
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
  options: NamedExam & { mode?: (typeof MODES)[number]; target?: number; resumePassing?: true },
  command: Command,
): Promise<void> => {
  const { mode, target, resumePassing } = options;
  if (mode === undefined && target === undefined && resumePassing === undefined) {
    throw new CommandFailure(INVALID_ARGUMENTS, 'Name a change: --mode, --target or --resume-passing.', 2);
  }
  const after = await withControl((control) =>
    control.guide.set.mutate({ ...examOf(options), mode, target, resume_passing: resumePassing }),
  );
  print(after, command, [`Mode ${after.mode}, target ${after.target}.`]);
};

type Application = Awaited<ReturnType<Control['guide']['preview']['mutate']>>;

const preview = async (options: NamedExam & { list: boolean }, command: Command): Promise<void> => {
  const wanted = examOf(options);
  const { application, changes } = await withControl(async (control) => {
    let found = await control.guide.preview.mutate(wanted);
    while (found.step === 'previewing') {
      found = await control.guide.preview.mutate({ ...wanted, number: found.number });
    }
    return { application: found, changes: options.list ? await listChanges(control, wanted) : undefined };
  });
  print({ ...application, changes }, command, [
    ...(changes ?? []).map(
      ({ submission_id, question, awarded, suggested }) =>
        `${submission_id}  question ${question}: ${awarded} -> ${suggested}`,
    ),
    ...linesOf(application, application.preview),
    `Apply it: guide apply --number ${application.number}`,
  ]);
};

/** Results whose marks the guides would change, question by question. */
const listChanges = async (control: Control, wanted: ReturnType<typeof examOf>) => {
  const { questions } = await control.guide.show.query(wanted);
  const changes: { submission_id: string; question: string; awarded: number | null; suggested: number }[] =
    [];
  for (const { question_id, label, version } of questions) {
    if (version === null) continue;
    let cursor: string | null | undefined;
    do {
      const query = { question_id, limit: 50, changed_only: true, ...(cursor == null ? {} : { cursor }) };
      const page = await control.guide.suggestions.query({ ...wanted, ...query });
      for (const { submission_id, mark, suggestion } of page.data) {
        if (suggestion === null) continue;
        changes.push({
          submission_id,
          question: label,
          awarded: mark.awarded,
          suggested: suggestion.awarded,
        });
      }
      cursor = page.next_cursor;
    } while (cursor !== null);
  }
  return changes;
};

/** Each call works for some seconds; core continues by itself if the command is stopped. */
const run = async (step: 'apply' | 'undo', options: Step, command: Command): Promise<void> => {
  const procedure = step === 'apply' ? 'applyPreview' : 'undo';
  const application = await withControl(async (control) => {
    const number = options.number ?? (await numberFor(step, options, control));
    const wanted = { ...examOf(options), number };
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

/** The latest preview; for an undo the application that is being undone, else the one in force. */
const numberFor = async (step: 'apply' | 'undo', exam: NamedExam, control: Control): Promise<number> => {
  const { application, in_force } = await control.guide.show.query(examOf(exam));
  const isUndoing = application?.step === 'undoing';
  const number = step === 'apply' || isUndoing ? application?.number : in_force;
  if (number != null) return number;
  throw step === 'apply'
    ? new CommandFailure('no_preview', 'The exam has no preview. Run guide preview first.')
    : new CommandFailure('not_in_force', 'No application of guides is in force in this exam.');
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
