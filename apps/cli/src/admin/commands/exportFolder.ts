import { createWriteStream } from 'node:fs';
import {
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from '../failures.ts';
import { messageOf, type Destination, type Exported } from './writeExport.ts';

/**
 * Writes an export into a folder and resumes an earlier incomplete export. A file is downloaded to a temporary name and
 * renamed when it is complete, so existing files are not fetched again; objects in the store are immutable.
 * @throws CommandFailure folder_in_use, file_not_written, file_not_fetched, from each method
 */
export const exportFolder = (folder: string): Destination => {
  const partial = join(folder, 'candidate.json.part');
  let document: FileHandle | undefined;
  return {
    begin: async (exported) => {
      await written(folder, () => claimFolder(folder, exported));
      document = await written(partial, () => open(partial, 'w', 0o600));
    },
    file: (path, sizeBytes, fetchFile) => writeOnce(join(folder, path), sizeBytes, fetchFile),
    say: (text) => written(partial, async () => document?.writeFile(text)),
    end: () => written(folder, () => rename(partial, join(folder, 'candidate.json'))),
    close: async () => document?.close(),
  };
};

/** Refuses a folder with another candidate's export, which would mix the data of two candidates. */
const claimFolder = async (folder: string, exported: Exported): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const marker = join(folder, 'export.json');
  const mine = `${JSON.stringify(exported)}\n`;
  const there = await readdir(folder);
  if (there.length === 0) return writeFile(marker, mine, { mode: 0o600 });
  const found = there.includes('export.json') ? await readFile(marker, 'utf8') : null;
  if (found !== mine) {
    throw new CommandFailure(
      'folder_in_use',
      `${folder} contains other files: name a new or empty folder.`,
      2,
    );
  }
};

const writeOnce = async (
  file: string,
  sizeBytes: number,
  fetchFile: () => Promise<Readable>,
): Promise<void> => {
  if ((await sizeOf(file)) === sizeBytes) return;
  const partial = `${file}.part`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await pipeline(await fetchFile(), createWriteStream(partial, { mode: 0o600 }));
    if ((await sizeOf(partial)) !== sizeBytes) throw new Error('the download is incomplete');
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw new CommandFailure(
      'file_not_fetched',
      `${file} could not be fetched: ${messageOf(error)}. Run the same command again to resume.`,
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
