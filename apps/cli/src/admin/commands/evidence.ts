import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { EvidenceBundle } from '@evaluation/grader/evidence';
import { attempt, id } from '../arguments.ts';
import { withControl, type Control } from '../control.ts';
import { CommandFailure } from '../failures.ts';
import { example, print } from '../output.ts';

export const addEvidenceCommands = (program: Command): void => {
  const evidence = program
    .command('evidence')
    .description('Evidence of marks: write it to one file, or recompute marks from such a file')
    .option('--submission <id>', 'write the evidence of this submission', id)
    .option('--institute <id>', 'institute of the submission (default: looked up)', id)
    .option('--attempt <number>', 'number of an evaluation (default: the one that counts)', attempt)
    .option('--out <file>', 'output file (default: evidence-<submission>.json)')
    .addHelpText('after', example('evidence --submission 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11'))
    .action(writeBundle);

  evidence
    .command('replay')
    .description(
      'Recompute marks, feedback, flags and totals from a bundle, offline, and print them. ' +
        'Exit code 1 if they differ from the record, 2 if the file was changed',
    )
    .argument('<file>', 'a bundle')
    .addHelpText('after', example('evidence replay evidence-0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11.json'))
    .action(replayBundle);
};

const writeBundle = async (
  options: { submission?: string; institute?: string; attempt?: number; out?: string },
  command: Command,
): Promise<void> => {
  const { submission } = options;
  if (submission === undefined) {
    throw new CommandFailure('invalid_arguments', 'Name the submission: --submission ID.', 2);
  }
  const { EvidenceBundle, BUNDLE_FORMAT } = await import('@evaluation/grader/evidence');
  const { canonicalJson } = await import('@evaluation/rules');
  const { header, parts } = await withControl(async (control) => {
    const shown = await control.showEvidence.query({
      submission_id: submission,
      institute_id: options.institute,
      attempt: options.attempt,
    });
    return {
      header: shown,
      parts: [...(await everyPart(control, shown)), ...(await guideParts(control, shown))],
    };
  });
  const { institute_id: _, ...rest } = header;
  const bundle = EvidenceBundle.parse({ format: BUNDLE_FORMAT, ...rest, parts });
  const out = options.out ?? `evidence-${submission}.json`;
  const bytes = Buffer.from(`${canonicalJson(bundle)}\n`);
  await writeWhole(out, bytes);
  print({ file: out, size_bytes: bytes.length, parts: parts.length, attempt: header.run.attempt }, command, [
    `Evidence of submission ${submission}, attempt ${header.run.attempt}: ${out} (${parts.length} parts).`,
    `Recompute the marks: evidence replay ${out}`,
  ]);
};

type Header = Awaited<ReturnType<Control['showEvidence']['query']>>;
type Page = Awaited<ReturnType<Control['readEvidenceParts']['query']>>;

/** Downloads the parts; a part that is missing in the store is left out, and the replay reports what it lacks. */
const everyPart = async (
  control: Control,
  { institute_id, submission, run }: Header,
): Promise<EvidenceBundle['parts']> => {
  const found: EvidenceBundle['parts'] = [];
  for (let after: Page['next'] = null; ;) {
    const page: Page = await control.readEvidenceParts.query({
      institute_id,
      submission_id: submission.id,
      run_id: run.id,
      after,
    });
    for (const { kind, ref, sha256, content, missing } of page.parts) {
      if (!missing) found.push({ kind, ref, sha256, content });
    }
    if (page.next === null) return found;
    after = page.next;
  }
};

/** Guides that set marks of the run. */
const guideParts = async (
  control: Control,
  { institute_id, run }: Header,
): Promise<EvidenceBundle['parts']> => {
  const found: EvidenceBundle['parts'] = [];
  for (;;) {
    const after = found.at(-1)?.ref ?? null;
    const part = await control.readGuidePart.query({ institute_id, run_id: run.id, after });
    if (part === null) return found;
    found.push(part);
  }
};

/** Writes to a temporary file and renames it, because a truncated bundle would be refused as tampered with. */
const writeWhole = async (file: string, bytes: Buffer): Promise<void> => {
  const beside = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(beside, bytes, { mode: 0o600 });
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw new CommandFailure('file_not_written', `${file} cannot be written: ${messageOf(error)}`);
  }
};

const replayBundle = async (file: string): Promise<void> => {
  const { BundleRefused, LARGEST_BUNDLE_BYTES, readBundle, replay } =
    await import('@evaluation/grader/evidence');
  const { canonicalJson } = await import('@evaluation/rules');
  const text = await readText(file, LARGEST_BUNDLE_BYTES);
  let replayed;
  try {
    replayed = replay(readBundle(text));
  } catch (error) {
    if (!(error instanceof BundleRefused)) throw error;
    throw new CommandFailure(error.code, error.message, 2);
  }
  process.stdout.write(`${canonicalJson(replayed.outcome)}\n`);
  if (replayed.differences.length > 0) {
    throw new CommandFailure(
      'not_the_same',
      `The replay differs from the record:\n${replayed.differences.join('\n')}`,
    );
  }
};

const readText = async (file: string, largest: number): Promise<string> => {
  try {
    const found = await stat(file);
    // Excludes devices, which have no size and may never end.
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (found.size > largest) throw new Error('it is too large to be a bundle');
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailure('file_not_read', `${file} cannot be read: ${messageOf(error)}`, 2);
  }
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
