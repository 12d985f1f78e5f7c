import type { Command } from 'commander';
import { id } from '../arguments.ts';
import { withControl, type Control } from '../control.ts';
import { CommandFailure } from '../failures.ts';
import { example, print } from '../output.ts';

export const addReconcileCommand = (program: Command): void => {
  program
    .command('reconcile')
    .description(
      'Compare credits, reservations, runs and counters, and list what does not add up; repairs nothing. ' +
        'Exit code 1 when something does not',
    )
    .option('--institute <id>', 'this institute alone (default: all of them)', id)
    .addHelpText('after', example('reconcile --institute 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11'))
    .action(reconcile);
};

type Answer = Awaited<ReturnType<Control['reconcile']['query']>>;
type Finding = Answer['findings'][number];

const reconcile = async (options: { institute?: string }, command: Command): Promise<void> => {
  const { institutes, findings } = await withControl((control) => everyPage(control, options.institute));
  print({ institutes, findings }, command, [
    ...findings.map(describe),
    `${institutes} institute(s) looked at, ${findings.length === 0 ? 'everything adds up' : 'not everything adds up'}.`,
  ]);
  if (findings.length > 0) {
    throw new CommandFailure(
      'does_not_add_up',
      'Something does not add up: docs/operate/runbook.md explains each finding.',
    );
  }
};

const everyPage = async (
  control: Control,
  institute: string | undefined,
): Promise<Pick<Answer, 'institutes' | 'findings'>> => {
  const findings: Finding[] = [];
  let institutes = 0;
  let after: string | undefined;
  do {
    const page = await control.reconcile.query({ institute_id: institute, after });
    institutes += page.institutes;
    findings.push(...page.findings);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return { institutes, findings };
};

const describe = ({ institute_id, finding, subject, expected, found, total }: Finding): string =>
  `${finding}  ${subject}  expected: ${expected}  found: ${found}  (${total} of this kind, institute ${institute_id})`;
