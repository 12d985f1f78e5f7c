import type { Command } from 'commander';
import { creditsAboveZero, id } from '../arguments.ts';
import { withControl } from '../control.ts';
import { example, print } from '../output.ts';

export const addCreditCommands = (program: Command): void => {
  program
    .command('credits')
    .description('Credits: what graded copies are paid with')
    .command('grant')
    .description('Add credits to the balance of an institute')
    .requiredOption('--institute <id>', 'id of the institute', id)
    .requiredOption('--amount <number>', 'credits to add, more than 0', creditsAboveZero)
    .addHelpText(
      'after',
      example('credits grant --institute 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11 --amount 1000'),
    )
    .action(grantCredits);
};

const grantCredits = async (
  options: {
    institute: string;
    amount: number;
  },
  command: Command,
): Promise<void> => {
  const answer = await withControl((control) =>
    control.grantCredits.mutate({ institute_id: options.institute, amount: options.amount }),
  );
  print(answer, command, [`Granted ${options.amount} credits; the balance is ${answer.balance}.`]);
};
