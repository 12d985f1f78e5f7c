import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Control } from '../control.ts';
import { CommandFailure } from '../failures.ts';

/*
 * The folder of an export: `export.json` says whose it is from the first moment, `candidate.json` stands there once
 * everything does, `files/<submission>/…` are the objects. One submission, and one file, is in hand at a time. A file is
 * written beside its place and renamed when it is whole, so what stands in its place is not fetched again; objects never
 * change under their name.
 */

/** 50 MB over a slow line. */
const FETCH_MS = 600_000;

interface Wanted {
  institute_id: string;
  candidate_id: string | undefined;
  external_id: string | undefined;
}

export interface Written {
  candidate_id: string;
  folder: string;
  submissions: number;
  files: number;
  size_bytes: number;
}

/** @throws CommandFailure folder_in_use, file_not_written, file_not_fetched; what core refuses with */
export const writeExport = async (control: Control, wanted: Wanted, folder: string): Promise<Written> => {
  const { candidate, registrations, submission_ids } = await control.exportCandidate.query(wanted);
  const of = { institute_id: wanted.institute_id, candidate_id: candidate.id };
  await written(folder, () => claimFolder(folder, of));
  const partial = join(folder, 'candidate.json.part');
  const document = await written(partial, () => open(partial, 'w', 0o600));
  const totals = { files: 0, size_bytes: 0 };
  try {
    const say = (text: string) => written(partial, () => document.writeFile(text));
    await say(
      `{"candidate":${JSON.stringify(candidate)},\n"registrations":${JSON.stringify(registrations)},\n"submissions":[`,
    );
    for (const [index, submission_id] of submission_ids.entries()) {
      const rows = await control.exportSubmission.query({ ...of, submission_id });
      const files = await fetchFiles(control, { ...of, submission_id }, folder);
      totals.files += files.length;
      for (const { size_bytes } of files) totals.size_bytes += size_bytes;
      await say(`${index === 0 ? '' : ','}\n${JSON.stringify({ ...rows, files })}`);
    }
    await say(']}\n');
  } finally {
    await document.close();
  }
  await written(folder, () => rename(partial, join(folder, 'candidate.json')));
  return { candidate_id: candidate.id, folder, submissions: submission_ids.length, ...totals };
};

/** Two candidates in one folder would be one candidate's data given to another. */
const claimFolder = async (
  folder: string,
  of: { institute_id: string; candidate_id: string },
): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const marker = join(folder, 'export.json');
  const mine = `${JSON.stringify(of)}\n`;
  const there = await readdir(folder);
  if (there.length === 0) return writeFile(marker, mine, { mode: 0o600 });
  const found = there.includes('export.json') ? await readFile(marker, 'utf8') : null;
  if (found !== mine) {
    throw new CommandFailure(
      'folder_in_use',
      `${folder} holds something else already: name a new or empty folder.`,
      2,
    );
  }
};

interface ExportedFile {
  path: string;
  size_bytes: number;
}

const fetchFiles = async (
  control: Control,
  of: { institute_id: string; candidate_id: string; submission_id: string },
  folder: string,
): Promise<ExportedFile[]> => {
  const fetched: ExportedFile[] = [];
  let after: string | undefined;
  do {
    const page = await control.exportFiles.query({ ...of, after });
    for (const { path, size_bytes, url } of page.files) {
      const place = `files/${of.submission_id}/${path}`;
      if (path.split('/').includes('..')) throw new Error('a file lies outside its folder');
      await fetchFile(url, join(folder, place), size_bytes);
      fetched.push({ path: place, size_bytes });
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  return fetched;
};

const fetchFile = async (url: string, file: string, sizeBytes: number): Promise<void> => {
  if ((await sizeOf(file)) === sizeBytes) return;
  const partial = `${file}.part`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
    if (response.status !== 200 || response.body === null)
      throw new Error(`the store answered ${response.status}`);
    await pipeline(Readable.fromWeb(response.body), createWriteStream(partial, { mode: 0o600 }));
    if ((await sizeOf(partial)) !== sizeBytes) throw new Error('it came in half');
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw new CommandFailure(
      'file_not_fetched',
      `${file} could not be fetched: ${messageOf(error)}. Run the same command again: it goes on where it stopped.`,
    );
  }
};

const sizeOf = async (file: string): Promise<number | null> => {
  try {
    return (await stat(file)).size;
  } catch {
    return null;
  }
};

const written = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure('file_not_written', `${file} cannot be written: ${messageOf(error)}`);
  }
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
