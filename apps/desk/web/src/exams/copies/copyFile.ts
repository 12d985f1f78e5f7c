/*
 * A file on its way to become the copy of a candidate:
 * waiting → sending → checking → ready → submitting → submitted, or one of the ends `rejected` (the file cannot be a
 * copy), `unsent` (the upload failed) and `refused` (the submission was refused).
 */
/** Most pages of a copy. */
export const MOST_PAGES = 80;

type Step =
  | 'waiting'
  | 'sending'
  | 'checking'
  | 'ready'
  | 'submitting'
  | 'submitted'
  | 'rejected'
  | 'unsent'
  | 'refused';

/** A registered candidate by id, or a new one by the id that the institute uses. */
export type ChosenCandidate = { id: string } | { external_id: string };

export interface CopyFile {
  key: string;
  name: string;
  size: number;
  step: Step;
  /** Share of the file that was sent, 0 to 1. */
  sent: number;
  uploadId: string | null;
  pages: number | null;
  /** Why this page rejected the file. */
  fault?: 'noPdf' | 'tooLarge' | 'empty' | 'tooManyPages';
  /** Why core rejected the file, in English; or text for the user: why the file was unsent or refused. */
  reason: string | null;
  candidate: ChosenCandidate | null;
  /** Id of the candidate whom the name or the first page may mean, until a person says yes or chooses. */
  guess: string | null;
  /** The candidate has a copy; this one replaces it. */
  replaces: boolean;
  /** The submission was refused because the candidate has a copy. */
  canReplace: boolean;
}

export const newCopyFile = (key: string, { name, size }: { name: string; size: number }): CopyFile => ({
  key,
  name,
  size,
  step: 'waiting',
  sent: 0,
  uploadId: null,
  pages: null,
  reason: null,
  candidate: null,
  guess: null,
  replaces: false,
  canReplace: false,
});

/**
 * Restores the files after a reload of the page. Files that were not sent completely are dropped, because the browser
 * has lost their content. A submission without an answer is sent again with the same key.
 */
export const afterReload = (files: readonly CopyFile[]): CopyFile[] =>
  files
    .filter(
      ({ uploadId, step }) =>
        uploadId !== null && step !== 'waiting' && step !== 'sending' && step !== 'unsent',
    )
    .map((file) => (file.step === 'submitting' ? { ...file, step: 'ready' } : file));

/** Key under which core accepts the submission of this file for this candidate once. */
export const submissionKey = ({ uploadId, candidate, replaces }: CopyFile): string => {
  const who =
    candidate === null ? '' : 'id' in candidate ? candidate.id : encodeURIComponent(candidate.external_id);
  return `copy:${uploadId}:${who.replaceAll(/[^\w.-]/g, '_').slice(0, 50)}:${replaces ? 'r' : 'n'}`;
};

/** Files that may be submitted now. If several files have the same candidate, none of them may be submitted. */
export const submittable = (files: readonly CopyFile[]): CopyFile[] => {
  const whoOf = ({ candidate }: CopyFile): string => JSON.stringify(candidate);
  const times = new Map<string, number>();
  const wanted = files.filter(({ step, candidate }) => step === 'ready' && candidate !== null);
  for (const file of wanted) times.set(whoOf(file), (times.get(whoOf(file)) ?? 0) + 1);
  return wanted.filter((file) => times.get(whoOf(file)) === 1);
};
