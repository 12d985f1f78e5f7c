import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CoreAccess } from '@evaluation/core-client';
import { inspectPdf } from '@evaluation/pdf';
import { download } from '../copy/download.ts';
import { inWorkFolder } from '../workFolder.ts';

/** A store that is away longer than this: core delivers the inspection again. */
const STORE_PATIENCE_MS = 20_000;

/** Opens a sealed upload in a child process and reports its pages, or a reason that tells a person what to do. */
export const inspectUpload = async (
  core: CoreAccess,
  job: { upload_id: string; institute_id: string },
  options: { timeoutSeconds: number; signal: AbortSignal; onClaimed: () => void },
): Promise<void> => {
  const { grading } = core.as({ requestId: job.upload_id });
  const claimed = await grading.claimInspection.mutate(job);
  options.onClaimed();
  if (claimed === null) return;
  await inWorkFolder(async (folder) => {
    const file = join(folder, 'upload.pdf');
    await download(claimed.source_url, file, {
      signal: options.signal,
      deadline: new Date(Date.now() + STORE_PATIENCE_MS),
    });
    // From here on the file itself may be what ends this process: core counts how often it has been tried.
    const sha256 = await hashOf(file);
    // Core of the release before answers nothing.
    const answer = await grading.countOpening.mutate({ ...job, sha256 });
    if (answer?.open === false) return;
    const begun = performance.now();
    const inspection = await inspectPdf(file, {
      timeoutSeconds: options.timeoutSeconds,
      signal: options.signal,
    });
    const seconds = (performance.now() - begun) / 1000;
    await grading.recordInspection.mutate({
      ...job,
      outcome: inspection.ok
        ? { status: 'ready', pages: inspection.pages, sha256: inspection.sha256 }
        : {
            status: 'rejected',
            reject_reason: inspection.reason,
            ...(seconds < options.timeoutSeconds
              ? {}
              : { exhausted: { sha256, used_up: 'time' as const, seconds } }),
          },
    });
  });
};

const hashOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};
