import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { onStopSignals } from '@evaluation/platform/telemetry/stopSignals';
import { creditsAboveZero, id, idempotencyKey } from '../arguments.ts';
import { withControl } from '../control.ts';
import { CommandFailure, refusalOf } from '../failures.ts';
import { commandLine, example, print } from '../output.ts';

export const addCreditCommands = (program: Command): void => {
  program
    .command('credits')
    .description('Credits, which pay for graded copies')
    .command('grant')
    .description('Add credits to the balance of an institute')
    .requiredOption('--institute <id>', 'id of the institute', id)
    .requiredOption('--amount <number>', 'credits to add, more than 0', creditsAboveZero)
    .option(
      '--idempotency-key <key>',
      'repetitions with the same key and amount grant nothing more (default: a new key)',
      idempotencyKey,
    )
    .addHelpText(
      'after',
      example(
        'credits grant --institute 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11 --amount 1000 --idempotency-key invoice-4711',
      ),
    )
    .action(grantCredits);
};

const grantCredits = async (
  options: {
    institute: string;
    amount: number;
    idempotencyKey?: string;
  },
  command: Command,
): Promise<void> => {
  const { institute, amount, idempotencyKey: key = randomUUID() } = options;
  const repeat = `It is not known whether the credits were granted. This grants them once, also when they were: ${commandLine(
    `credits grant --institute ${institute} --amount ${amount} --idempotency-key ${key}`,
  )}`;
  const interrupt = (): void => {
    process.stderr.write(`interrupted. ${repeat}\n`);
    process.exit(130);
  };
  const forget = onStopSignals({ stop: interrupt, stopAtOnce: interrupt });
  try {
    const answer = await withControl((control) =>
      control.grantCredits.mutate({ institute_id: institute, amount, idempotency_key: key }),
    );
    print(answer, command, [
      `Granted ${amount} credits; the balance is ${answer.balance}.`,
      `Idempotency key ${key}: a repetition with it grants nothing more.`,
    ]);
  } catch (error) {
    const failure = await refusalOf(error);
    if (!OUTCOME_UNKNOWN.has(failure.code)) throw failure;
    throw new CommandFailure(failure.code, `${failure.message} ${repeat}`);
  } finally {
    forget();
  }
};

/** Codes after which core may have granted the credits already. */
const OUTCOME_UNKNOWN = new Set(['service_unreachable', 'service_unavailable', 'internal_error']);
