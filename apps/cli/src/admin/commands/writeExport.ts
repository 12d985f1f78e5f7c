import { Readable } from 'node:stream';
import { stringifyExact } from '@evaluation/rest-contract/exact-json';
import type { Control } from '../control.ts';

/** Time for 50 MB over a slow line. */
const FETCH_MS = 600_000;

interface Wanted {
  institute_id: string;
  candidate_id: string | undefined;
  external_id: string | undefined;
}

export interface Exported {
  institute_id: string;
  candidate_id: string;
}

/** Where an export is written. Order: `export.json` with the candidate's id, then the files, then `candidate.json`. */
export interface Destination {
  begin(exported: Exported): Promise<void>;
  /** Calls `fetchFile` only if the file does not exist yet. */
  file(path: string, sizeBytes: number, fetchFile: () => Promise<Readable>): Promise<void>;
  /** Appends to `candidate.json`. */
  say(text: string): Promise<void>;
  end(): Promise<void>;
  /** Called after success and after an error. */
  close(): Promise<void>;
}

interface Written {
  candidate_id: string;
  submissions: number;
  files: number;
  size_bytes: number;
}

/**
 * Processes one submission and one file at a time.
 * @param inside true where core runs: files are fetched from the address that core itself uses
 * @throws errors of the destination and of core
 */
export const writeExport = async (
  control: Control,
  wanted: Wanted,
  { to, inside }: { to: Destination; inside: boolean },
): Promise<Written> => {
  const { candidate, registrations, submission_ids } = await control.exportCandidate.query(wanted);
  const exported = { institute_id: wanted.institute_id, candidate_id: candidate.id };
  const totals = { files: 0, size_bytes: 0 };
  try {
    await to.begin(exported);
    await to.say(
      `{"candidate":${stringifyExact(candidate)},\n"registrations":${JSON.stringify(registrations)},\n"submissions":[`,
    );
    for (const [index, submission_id] of submission_ids.entries()) {
      const rows = await control.exportSubmission.query({ ...exported, submission_id });
      const files = await writeFiles(control, { ...exported, submission_id, inside }, to);
      totals.files += files.length;
      for (const { size_bytes } of files) totals.size_bytes += size_bytes;
      await to.say(`${index === 0 ? '' : ','}\n${stringifyExact({ ...rows, files })}`);
    }
    await to.say(']}\n');
    await to.end();
  } finally {
    await to.close();
  }
  return { candidate_id: candidate.id, submissions: submission_ids.length, ...totals };
};

interface ExportedFile {
  path: string;
  size_bytes: number;
}

const writeFiles = async (
  control: Control,
  exported: Exported & { submission_id: string; inside: boolean },
  to: Destination,
): Promise<ExportedFile[]> => {
  const written: ExportedFile[] = [];
  let after: string | undefined;
  do {
    const page = await control.exportFiles.query({ ...exported, after });
    for (const { path, size_bytes, url } of page.files) {
      if (path.split('/').includes('..')) throw new Error('a file lies outside its folder');
      const place = `files/${exported.submission_id}/${path}`;
      await to.file(place, size_bytes, () => fetchFile(url));
      written.push({ path: place, size_bytes });
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  return written;
};

const fetchFile = async (url: string): Promise<Readable> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
  if (response.status !== 200 || response.body === null)
    throw new Error(`the store answered ${response.status}`);
  return Readable.fromWeb(response.body);
};

/** Adds the cause, because the message of a `fetch` error does not contain it. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== ''
    ? `${error.message} (${error.cause.message})`
    : error.message;
};
