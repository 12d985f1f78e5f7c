import { Option, type Command } from 'commander';
import type { Scope } from '@evaluation/rest-contract/schemas';
import { cap, count, expiry, id, scopes, time } from '../arguments.ts';
import { withControl } from '../control.ts';
import { CommandFailure, INVALID_ARGUMENTS } from '../failures.ts';
import { example, print } from '../output.ts';
import { describeKey } from './describeInstitute.ts';

export const addKeyCommands = (program: Command): void => {
  const key = program.command('key').description('API keys of institutes');

  key
    .command('create')
    .description('Create an API key; it is shown only once')
    .requiredOption('--institute <id>', 'id of the institute', id)
    .requiredOption(
      '--scopes <list>',
      'comma list of read, write, review, finalize (or evaluation:read, …)',
      scopes,
    )
    .addOption(rateTier('how many requests a minute (default: standard)'))
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
    .command('set')
    .description('Change the given settings of a key; every server applies them within a minute')
    .requiredOption('--key <id>', 'id of the key (not the key itself)', id)
    .option('--scopes <list>', 'the new list of scopes: read, write, review, finalize', scopes)
    .addOption(rateTier('how many requests a minute'))
    .option('--daily-copy-cap <count>', 'copies a day (UTC) with this key, or `none`', cap)
    .option('--expires-at <time>', 'UTC time from which it is refused, or `never`', expiry)
    .addHelpText('after', example('key set --key 5a1c2d3e-4f50-4b6c-8d7e-9f0a1b2c3d4e --rate-tier high'))
    .action(setKey);

  key
    .command('revoke')
    .description('Revoke a key permanently; takes effect within a minute')
    .requiredOption('--key <id>', 'id of the key (not the key itself)', id)
    .addHelpText('after', example('key revoke --key 5a1c2d3e-4f50-4b6c-8d7e-9f0a1b2c3d4e'))
    .action(revokeKey);
};

const rateTier = (description: string): Option =>
  new Option('--rate-tier <tier>', description).choices(['standard', 'high']);

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
    'Store the key now: it is not shown again. Never put it in a browser or a mobile app.',
    ...(options.expiresAt !== undefined && Date.parse(options.expiresAt) <= Date.now()
      ? ['This key has expired already.']
      : []),
  ]);
};

const setKey = async (
  options: {
    key: string;
    scopes?: Scope[];
    rateTier?: 'standard' | 'high';
    dailyCopyCap?: number | 'none';
    expiresAt?: string;
  },
  command: Command,
): Promise<void> => {
  const { key: key_id, ...changes } = options;
  if (Object.keys(changes).length === 0) {
    throw new CommandFailure(INVALID_ARGUMENTS, 'Name a setting to change; --help lists them.', 2);
  }
  const answer = await withControl((control) =>
    control.editKey.mutate({
      key_id,
      scopes: changes.scopes,
      rate_tier: changes.rateTier,
      daily_copy_cap: changes.dailyCopyCap === 'none' ? null : changes.dailyCopyCap,
      expires_at: changes.expiresAt === 'never' ? null : changes.expiresAt,
    }),
  );
  print(answer, command, [describeKey(answer)]);
};

const revokeKey = async (options: { key: string }, command: Command): Promise<void> => {
  const answer = await withControl((control) => control.revokeKey.mutate({ key_id: options.key }));
  print(answer, command, [
    `Key ${answer.key_id} is revoked since ${answer.revoked_at}; every server refuses it within a minute.`,
  ]);
};
