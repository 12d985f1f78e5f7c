import { Option, type Command } from 'commander';
import { externalId, id } from '../arguments.ts';
import { withControl, type Control } from '../control.ts';
import { CommandFailure, INVALID_ARGUMENTS } from '../failures.ts';
import { example, print } from '../output.ts';

interface Named {
  institute: string;
  candidate?: string;
  externalId?: string;
}

const INSTITUTE = '0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11';

export const addCandidateCommands = (program: Command): void => {
  const candidate = program
    .command('candidate')
    .description('The data of a candidate: write it into a folder, or erase it');

  named(candidate.command('export'))
    .description(
      'Write all that the service has of a candidate into a folder: candidate.json and the files. ' +
        'Run again, it goes on where it stopped',
    )
    .requiredOption('--out <folder>', 'where to: a new or empty folder, or that of an earlier try')
    .addHelpText(
      'after',
      example(`candidate export --institute ${INSTITUTE} --external-id S-1042 --out candidate-S-1042`),
    )
    .action(exportCandidate);

  named(candidate.command('erase'))
    .description(
      'Erase for good what says something of a candidate or of their answers, files included. Runs are stopped; ids, ' +
        'marks, credits and the audit stay (docs/operations.md). Run again, it goes on where it stopped',
    )
    .requiredOption('--confirm', 'yes: it cannot be undone')
    .addHelpText('after', example(`candidate erase --institute ${INSTITUTE} --external-id S-1042 --confirm`))
    .action(eraseCandidate);
};

const named = (command: Command): Command =>
  command
    .requiredOption('--institute <id>', 'id of the institute', id)
    .addOption(new Option('--candidate <id>', 'id of the candidate').argParser(id).conflicts('externalId'))
    .option('--external-id <text>', "the institute's own id of the candidate", externalId);

const wantedOf = ({ institute, candidate, externalId: external }: Named) => {
  if (candidate === undefined && external === undefined) {
    throw new CommandFailure(INVALID_ARGUMENTS, 'Say whose: --candidate ID or --external-id TEXT.', 2);
  }
  return { institute_id: institute, candidate_id: candidate, external_id: external };
};

const exportCandidate = async (options: Named & { out: string }, command: Command): Promise<void> => {
  const wanted = wantedOf(options);
  const { writeExport } = await import('./writeExport.ts');
  const written = await withControl((control) => writeExport(control, wanted, options.out));
  print(written, command, [
    `Candidate ${written.candidate_id}: ${written.submissions} submission(s) and ${written.files} file(s) in ${options.out}`,
    'It holds what the candidate wrote: keep it as you would keep the copies themselves.',
  ]);
};

const eraseCandidate = async (options: Named, command: Command): Promise<void> => {
  const wanted = wantedOf(options);
  const { candidate_id, submissions, files_removed_at } = await withControl((control) =>
    untilErased(control, wanted),
  );
  print({ candidate_id, submissions, files_removed_at }, command, [
    `Candidate ${candidate_id} is erased, with the answers and files of ${submissions} submission(s).`,
    'Backups still hold them until they expire.',
  ]);
};

type Erasure = Awaited<ReturnType<Control['eraseCandidate']['mutate']>>;

/** Core does a portion at a time. By id from the second on: an external id may name somebody new once it is erased. */
const untilErased = async (control: Control, wanted: ReturnType<typeof wantedOf>): Promise<Erasure> => {
  let erasure = await control.eraseCandidate.mutate(wanted);
  while (erasure.files_removed_at === null) {
    erasure = await control.eraseCandidate.mutate({
      institute_id: wanted.institute_id,
      candidate_id: erasure.candidate_id,
    });
  }
  return erasure;
};
