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
    .description('The data of a candidate: write it into a folder or an archive, or erase it');

  named(candidate.command('export'))
    .description(
      'Write all data of a candidate into a folder: candidate.json and the files. ' +
        'Run the command again to resume it',
    )
    .requiredOption(
      '--out <folder>',
      'a new or empty folder, or the folder of an earlier try; - for a tar archive on stdout',
    )
    .option('--inside', "fetch the files from the store's address that core uses, not from the public one")
    .addHelpText(
      'after',
      example(`candidate export --institute ${INSTITUTE} --external-id S-1042 --out candidate-S-1042`) +
        '\nIn the container of core, which has a read-only file system:\n' +
        `  $ node admin.js candidate export --institute ${INSTITUTE} --external-id S-1042 --inside --out - > candidate.tar\n`,
    )
    .action(exportCandidate);

  named(candidate.command('erase'))
    .description(
      'Erase the personal data, answers and files of a candidate permanently. Runs are stopped; ids, ' +
        'marks, credits and the audit stay (docs/operate/privacy.md). Run the command again to resume it',
    )
    .requiredOption('--confirm', 'confirms the erasure, which cannot be undone')
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
    throw new CommandFailure(
      INVALID_ARGUMENTS,
      'Name the candidate: --candidate ID or --external-id TEXT.',
      2,
    );
  }
  return { institute_id: institute, candidate_id: candidate, external_id: external };
};

const exportCandidate = async (
  options: Named & { out: string; inside?: boolean },
  command: Command,
): Promise<void> => {
  const wanted = wantedOf(options);
  const { out, inside = false } = options;
  const { writeExport } = await import('./writeExport.ts');
  const to = await destinationOf(out);
  const written = await withControl((control) => writeExport(control, wanted, { to, inside }));
  const { candidate_id, submissions, files } = written;
  const folder = out === '-' ? `candidate-${candidate_id}` : out;
  print(
    { ...written, folder },
    command,
    [
      `Candidate ${candidate_id}: ${submissions} submission(s) and ${files} file(s) in ${folder}${out === '-' ? ' of the archive' : ''}`,
      'It holds what the candidate wrote: keep it as you would keep the copies themselves.',
    ],
    out === '-' ? process.stderr : process.stdout,
  );
};

const destinationOf = async (out: string) => {
  if (out !== '-') return (await import('./exportFolder.ts')).exportFolder(out);
  const { stdout } = process;
  if (stdout.isTTY) {
    throw new CommandFailure(
      INVALID_ARGUMENTS,
      'The archive is binary: redirect stdout to a file with > candidate.tar (docker compose exec needs -T, kubectl exec no --tty).',
      2,
    );
  }
  // Prevents an uncaught exception; the callback of `write` gets the error.
  stdout.once('error', () => {});
  const { exportArchive } = await import('./exportArchive.ts');
  return exportArchive(
    (bytes) =>
      new Promise<void>((resolve, reject) => {
        stdout.write(bytes, (error) => (error == null ? resolve() : reject(error)));
      }),
  );
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

/**
 * Core erases a portion per call. Later calls use the candidate id, because after the erasure the external id may
 * belong to a new candidate.
 */
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
