import { text } from 'node:stream/consumers';
import { Option, type Command } from 'commander';
import { email, id, name } from '../arguments.ts';
import { withControl } from '../control.ts';
import { CommandFailure, INVALID_ARGUMENTS } from '../failures.ts';
import { example, print } from '../output.ts';

export const addStaffCommands = (program: Command): void => {
  const staff = program.command('staff').description('People of an institute who sign in at the desk');

  staff
    .command('invite')
    .description('Create an account; prints a link on which the person sets a password, shown only once')
    .requiredOption('--institute <id>', 'id of the institute', id)
    .requiredOption('--email <address>', 'e-mail address with which the person signs in', email)
    .requiredOption('--name <name>', 'name of the person', name)
    .addOption(
      new Option('--role <role>', 'what the person may do')
        .choices(['admin', 'examiner'])
        .makeOptionMandatory(),
    )
    .option('--password-stdin', 'read a password from stdin instead of making a link')
    .addHelpText(
      'after',
      example(
        'staff invite --institute 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11 --email asha@example.org --name "Asha Rao" --role admin',
      ),
    )
    .action(invite);

  staff
    .command('list')
    .description('List the accounts of an institute')
    .requiredOption('--institute <id>', 'id of the institute', id)
    .addHelpText('after', example('staff list --institute 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11'))
    .action(list);

  staff
    .command('disable')
    .description('Refuse an account, also the last admin, and end its sessions')
    .requiredOption('--email <address>', 'e-mail address of the account', email)
    .option('--institute <id>', 'id of the institute, if several have an account of this address', id)
    .addHelpText('after', example('staff disable --email asha@example.org'))
    .action((options: AccountOptions, command: Command) => setEnabled(options, false, command));

  staff
    .command('enable')
    .description('Let a disabled account sign in again')
    .requiredOption('--email <address>', 'e-mail address of the account', email)
    .option('--institute <id>', 'id of the institute, if several have an account of this address', id)
    .addHelpText('after', example('staff enable --email asha@example.org'))
    .action((options: AccountOptions, command: Command) => setEnabled(options, true, command));

  staff
    .command('reset')
    .description('Print a link on which the person sets a new password, shown only once')
    .requiredOption('--email <address>', 'e-mail address of the account', email)
    .option('--institute <id>', 'id of the institute, if several have an account of this address', id)
    .addHelpText('after', example('staff reset --email asha@example.org'))
    .action(reset);
};

const linkLines = (link: { path: string; expires_at: string }): string[] => [
  `Pass this link on, below the address of the desk: ${link.path}`,
  `It works once, until ${link.expires_at}.`,
];

const invite = async (
  options: {
    institute: string;
    email: string;
    name: string;
    role: 'admin' | 'examiner';
    passwordStdin?: true;
  },
  command: Command,
): Promise<void> => {
  const password = options.passwordStdin === true ? await passwordFromStdin() : undefined;
  const answer = await withControl((control) =>
    control.staff.invite.mutate({
      institute_id: options.institute,
      email: options.email,
      name: options.name,
      role: options.role,
      password,
    }),
  );
  const { staff, link } = answer;
  print(answer, command, [
    `Account created: ${staff.email} (${staff.role})`,
    ...(link === null ? ['It can sign in now.'] : linkLines(link)),
  ]);
};

/** The first line of stdin, as `printf` and `echo` write it. */
const passwordFromStdin = async (): Promise<string> => {
  const [line = ''] = (await text(process.stdin)).split(/\r?\n/);
  if (line === '') throw new CommandFailure(INVALID_ARGUMENTS, 'stdin has no password.', 2);
  return line;
};

const list = async (options: { institute: string }, command: Command): Promise<void> => {
  const staff = await withControl(async (control) => {
    const found = [];
    let after: string | undefined;
    do {
      const page = await control.staff.list.query({ institute_id: options.institute, after });
      found.push(...page.data);
      after = page.next_after ?? undefined;
    } while (after !== undefined);
    return found;
  });
  const lines = staff.map(
    (member) =>
      `${member.email}  ${member.role}  ${member.state}  ${member.name}  last sign-in ${member.last_sign_in_at ?? 'never'}`,
  );
  print({ staff }, command, lines.length === 0 ? ['The institute has no accounts.'] : lines);
};

interface AccountOptions {
  email: string;
  institute?: string;
}

const accountIn = ({ email: address, institute }: AccountOptions) => ({
  email: address,
  ...(institute === undefined ? {} : { institute_id: institute }),
});

const setEnabled = async (options: AccountOptions, enabled: boolean, command: Command): Promise<void> => {
  const answer = await withControl((control) =>
    enabled
      ? control.staff.enable.mutate(accountIn(options))
      : control.staff.disable.mutate(accountIn(options)),
  );
  print({ staff: answer }, command, [
    enabled
      ? `${answer.email} can sign in again.`
      : `${answer.email} is disabled, and its sessions are ended.`,
  ]);
};

const reset = async (options: AccountOptions, command: Command): Promise<void> => {
  const link = await withControl((control) => control.staff.reset.mutate(accountIn(options)));
  print({ link }, command, linkLines(link));
};
