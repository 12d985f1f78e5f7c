import type { Command } from 'commander';
import { contractPrice, count, credits, id, name, price } from '../arguments.ts';
import { withControl } from '../control.ts';
import { CommandFailure, INVALID_ARGUMENTS } from '../failures.ts';
import { example, print } from '../output.ts';
import { describeInstitute } from './describeInstitute.ts';

export const addInstituteCommands = (program: Command): void => {
  const institute = program
    .command('institute')
    .description('Institutes, which submit answers and pay with credits');

  institute
    .command('create')
    .description('Create an institute with its first credits')
    .requiredOption('--name <name>', 'name of the institute', name)
    .requiredOption('--credits <number>', 'initial balance', credits)
    .option('--credit-limit <number>', 'how far the balance may go below 0 (default: 0)', credits)
    .option(
      '--credits-per-page <number>',
      'contract price of a scanned page (default: the standard rate)',
      contractPrice,
    )
    .option(
      '--credits-per-answer <number>',
      'contract price of a typed long answer (default: the standard rate)',
      contractPrice,
    )
    .option('--daily-copy-quota <count>', 'copies a day (UTC) over all of its keys (default: 2000)', count)
    .option('--api-disabled', 'its keys are refused with 403 product_not_enabled')
    .addHelpText('after', example('institute create --name "Riverside School" --credits 500'))
    .action(createInstitute);

  institute
    .command('show')
    .description(
      'Show an institute: settings, credits, and its keys with their last use (never a key itself)',
    )
    .requiredOption('--institute <id>', 'id of the institute', id)
    .addHelpText('after', example('institute show --institute 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11'))
    .action(showInstitute);

  institute
    .command('set')
    .description('Change the given settings of an institute; prices that were quoted stay')
    .requiredOption('--institute <id>', 'id of the institute', id)
    .option('--name <name>', 'name of the institute', name)
    .option('--credit-limit <number>', 'how far the balance may go below 0', credits)
    .option('--credits-per-page <number>', 'contract price of a scanned page, or `standard`', price)
    .option('--credits-per-answer <number>', 'contract price of a typed long answer, or `standard`', price)
    .option('--daily-copy-quota <count>', 'copies a day (UTC) over all of its keys', count)
    .addHelpText(
      'after',
      example('institute set --institute 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11 --credits-per-page 0.8'),
    )
    .action(setInstitute);

  institute
    .command('enable')
    .description('Let the keys of an institute use the API')
    .requiredOption('--institute <id>', 'id of the institute', id)
    .addHelpText('after', example('institute enable --institute 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11'))
    .action((options: { institute: string }, command: Command) => enableInstitute(options, true, command));

  institute
    .command('disable')
    .description(
      'Refuse all keys of an institute with 403 product_not_enabled; its submissions are still graded',
    )
    .requiredOption('--institute <id>', 'id of the institute', id)
    .addHelpText('after', example('institute disable --institute 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11'))
    .action((options: { institute: string }, command: Command) => enableInstitute(options, false, command));
};

const createInstitute = async (
  options: {
    name: string;
    credits: number;
    creditLimit?: number;
    creditsPerPage?: number;
    creditsPerAnswer?: number;
    dailyCopyQuota?: number;
    apiDisabled?: true;
  },
  command: Command,
): Promise<void> => {
  const answer = await withControl((control) =>
    control.createInstitute.mutate({
      name: options.name,
      credits: options.credits,
      credit_limit: options.creditLimit,
      credits_per_page: options.creditsPerPage,
      credits_per_answer: options.creditsPerAnswer,
      daily_copy_quota: options.dailyCopyQuota,
      api_enabled: options.apiDisabled !== true,
    }),
  );
  print(answer, command, [
    `Institute created: ${answer.institute_id}`,
    `Next, create a key: key create --institute ${answer.institute_id} --scopes read,write`,
  ]);
};

const showInstitute = async (options: { institute: string }, command: Command): Promise<void> => {
  const answer = await withControl((control) =>
    control.showInstitute.query({ institute_id: options.institute }),
  );
  print(answer, command, describeInstitute(answer));
};

const setInstitute = async (
  options: {
    institute: string;
    name?: string;
    creditLimit?: number;
    creditsPerPage?: number | 'standard';
    creditsPerAnswer?: number | 'standard';
    dailyCopyQuota?: number;
  },
  command: Command,
): Promise<void> => {
  const { institute: institute_id, ...changes } = options;
  if (Object.keys(changes).length === 0) {
    throw new CommandFailure(INVALID_ARGUMENTS, 'Name a setting to change; --help lists them.', 2);
  }
  const answer = await withControl((control) =>
    control.editInstitute.mutate({
      institute_id,
      name: changes.name,
      credit_limit: changes.creditLimit,
      credits_per_page: changes.creditsPerPage === 'standard' ? null : changes.creditsPerPage,
      credits_per_answer: changes.creditsPerAnswer === 'standard' ? null : changes.creditsPerAnswer,
      daily_copy_quota: changes.dailyCopyQuota,
    }),
  );
  print(answer, command, describeInstitute(answer));
};

const enableInstitute = async (
  options: { institute: string },
  enabled: boolean,
  command: Command,
): Promise<void> => {
  const answer = await withControl((control) =>
    control.editInstitute.mutate({ institute_id: options.institute, api_enabled: enabled }),
  );
  print(answer, command, [
    `The API is ${enabled ? 'enabled' : 'disabled'} for ${answer.name}, and so is its desk; every server applies this within a minute.`,
  ]);
};
