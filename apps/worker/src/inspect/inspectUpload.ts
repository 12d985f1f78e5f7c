import { join } from 'node:path';
import { failureOf, type CoreAccess, type CoreClient } from '@evaluation/core-client';
import type { InspectJob } from '@evaluation/jobs-contract';
import { inspectPdf } from '@evaluation/pdf';
import { download } from '../copy/download.ts';
import { readHeading } from './readHeading.ts';
import { inWorkFolder } from '../workFolder.ts';

/** Longest time to wait for the object store; then core delivers the inspection again. */
const STORE_PATIENCE_MS = 20_000;

interface Options {
  timeoutSeconds: number;
  signal: AbortSignal;
  onClaimed: () => void;
}

/** Opens a sealed upload in a child process and reports its pages, or the reason of its rejection. */
export const inspectUpload = async (core: CoreAccess, job: InspectJob, options: Options): Promise<void> => {
  const { upload_id, institute_id, delivery } = job;
  const { grading } = core.as({ requestId: upload_id });
  const names = { upload_id, institute_id, delivery };
  const claimed = await grading.claimInspection.mutate(names);
  options.onClaimed();
  if (claimed === null) return;
  const { source_url, token, heading_wanted } = claimed;
  try {
    await inspect(grading, { source_url, heading_wanted, inspection: { ...names, token } }, options);
  } catch (error) {
    // Another worker has recorded the inspection already.
    if (failureOf(error)?.code !== 'conflict') throw error;
  }
};

type Grading = CoreClient['grading'];

interface Claimed {
  source_url: string;
  heading_wanted: boolean;
  inspection: Omit<Parameters<Grading['countOpening']['mutate']>[0], 'sha256'>;
}

const inspect = (
  grading: Grading,
  { source_url, heading_wanted, inspection }: Claimed,
  { timeoutSeconds, signal }: Options,
): Promise<void> =>
  inWorkFolder(async (folder) => {
    const file = join(folder, 'upload.pdf');
    const deadline = new Date(Date.now() + STORE_PATIENCE_MS);
    await download(source_url, file, { signal, deadline });
    // Reported before opening, because the file may crash this process: core counts the openings.
    const { open } = await grading.countOpening.mutate(inspection);
    if (!open) return;
    const begun = performance.now();
    const found = await inspectPdf(file, { timeoutSeconds, signal });
    const seconds = (performance.now() - begun) / 1000;
    await grading.recordInspection.mutate({
      ...inspection,
      outcome: found.ok
        ? { status: 'ready', pages: found.pages, sha256: found.sha256, repaired: found.isRepaired }
        : {
            status: 'rejected',
            code: found.code,
            ...(found.page === undefined ? {} : { page: found.page }),
            ...(seconds < timeoutSeconds ? {} : { exhausted_seconds: seconds }),
          },
    });
    if (!found.ok || !heading_wanted) return;
    // After the record, because the upload is ready without it. Without a number the desk proposes no candidate.
    const heading = await readHeading(file, folder, signal).catch(() => []);
    await grading.recordHeading.mutate({ ...inspection, heading });
  });
