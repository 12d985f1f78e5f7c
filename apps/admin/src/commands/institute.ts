import type { Command } from 'commander';
import { count, credits, id, name } from '../arguments.ts';
import { withControl, type Control } from '../control.ts';
import { example, print } from '../output.ts';

export const addInstituteCommands = (program: Command): void => {
  const institute = program
    .command('institute')
    .description('Institutes: who sends answers, and whose credits pay for them');

  institute
    .command('create')
    .description('Create an institute with its first credits')
    .requiredOption('--name <name>', 'what it is called', name)
    .requiredOption('--credits <number>', 'its balance to begin with', credits)
    .option('--credit-limit <number>', 'how far the balance may go below 0 (default: 0)', credits)
    .option(
      '--credits-per-page <number>',
      'contract price of a scanned page (default: the standard rate)',
      credits,
    )
    .option(
      '--credits-per-answer <number>',
      'contract price of a typed long answer (default: the standard rate)',
      credits,
    )
    .option('--daily-copy-quota <count>', 'copies a day (UTC) over all of its keys (default: 2000)', count)
    .option('--api-disabled', 'its keys answer 403 product_not_enabled')
    .addHelpText('after', example('institute create --name "Riverside School" --credits 500'))
    .action(createInstitute);

  institute
    .command('show')
    .description('Show an institute: settings, credits and keys (never a key itself)')
    .requiredOption('--institute <id>', 'id of the institute', id)
    .addHelpText('after', example('institute show --institute 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11'))
    .action(showInstitute);
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
    `It needs a key next: key create --institute ${answer.institute_id} --scopes read,write`,
  ]);
};

const showInstitute = async (options: { institute: string }, command: Command): Promise<void> => {
  const answer = await withControl((control) =>
    control.showInstitute.query({ institute_id: options.institute }),
  );
  print(answer, command, describe(answer));
};

type Institute = Awaited<ReturnType<Control['showInstitute']['query']>>;

const describe = (institute: Institute): string[] => {
  const { balance, credit_limit, committed } = institute.credits;
  const price = (contract: number | null): string => (contract === null ? 'standard' : `${contract} credits`);
  return [
    `${institute.name}  ${institute.institute_id}`,
    `  API           ${institute.api_enabled ? 'enabled' : 'disabled'}`,
    `  credits       ${balance} (${committed} committed to copies in the queue, credit limit ${credit_limit})`,
    `  prices        page: ${price(institute.credits_per_page)}, typed answer: ${price(institute.credits_per_answer)}`,
    `  daily quota   ${institute.daily_copy_quota} copies`,
    `  created       ${institute.created_at}`,
    ...(institute.keys.length === 0 ? ['  keys          none'] : ['  keys']),
    ...institute.keys.map((key) => `    ${describeKey(key)}`),
  ];
};

const describeKey = (key: Institute['keys'][number]): string =>
  [
    `${key.key_id}  …${key.last_four}`,
    key.scopes.map((scope) => scope.replace(/^evaluation:/, '')).join(','),
    key.rate_tier,
    ...(key.daily_copy_cap === null ? [] : [`at most ${key.daily_copy_cap} copies a day`]),
    ...(key.expires_at === null ? [] : [`expires ${key.expires_at}`]),
    ...(key.revoked_at === null ? [] : [`REVOKED ${key.revoked_at}`]),
  ].join('  ');
