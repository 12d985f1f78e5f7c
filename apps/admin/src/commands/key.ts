import { Option, type Command } from 'commander';
import type { Scope } from '@evaluation/rest-contract/schemas';
import { count, id, scopes, time } from '../arguments.ts';
import { withControl } from '../control.ts';
import { example, print } from '../output.ts';

export const addKeyCommands = (program: Command): void => {
  const key = program.command('key').description('API keys: what an institute calls the API with');

  key
    .command('create')
    .description('Create an API key; it is shown here and never again')
    .requiredOption('--institute <id>', 'id of the institute', id)
    .requiredOption(
      '--scopes <list>',
      'comma list of read, write, review, finalize (or evaluation:read, …)',
      scopes,
    )
    .addOption(
      new Option('--rate-tier <tier>', 'how many requests a minute (default: standard)').choices([
        'standard',
        'high',
      ]),
    )
    .option(
      '--daily-copy-cap <count>',
      'copies a day (UTC) with this key (default: the quota of the institute)',
      count,
    )
    .option('--expires-at <time>', 'UTC time from which it is refused (default: never)', time)
    .addHelpText(
      'after',
      example('key create --institute 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11 --scopes read,write'),
    )
    .action(createKey);

  key
    .command('revoke')
    .description('Revoke a key for good; takes effect within a minute')
    .requiredOption('--key <id>', 'id of the key (not the key itself)', id)
    .addHelpText('after', example('key revoke --key 5a1c2d3e-4f50-4b6c-8d7e-9f0a1b2c3d4e'))
    .action(revokeKey);
};

const createKey = async (
  options: {
    institute: string;
    scopes: Scope[];
    rateTier?: 'standard' | 'high';
    dailyCopyCap?: number;
    expiresAt?: string;
  },
  command: Command,
): Promise<void> => {
  const answer = await withControl((control) =>
    control.createKey.mutate({
      institute_id: options.institute,
      scopes: options.scopes,
      rate_tier: options.rateTier,
      daily_copy_cap: options.dailyCopyCap,
      expires_at: options.expiresAt,
    }),
  );
  print(answer, command, [
    `API key:  ${answer.api_key}`,
    `Key id:   ${answer.key_id}`,
    'Keep the key now: it is not shown again. Never put it in a browser or a mobile app.',
    ...(options.expiresAt !== undefined && Date.parse(options.expiresAt) <= Date.now()
      ? ['This key has expired already.']
      : []),
  ]);
};

const revokeKey = async (options: { key: string }, command: Command): Promise<void> => {
  const answer = await withControl((control) => control.revokeKey.mutate({ key_id: options.key }));
  print(answer, command, [
    `Key ${answer.key_id} is revoked since ${answer.revoked_at}; every server refuses it within a minute.`,
  ]);
};
