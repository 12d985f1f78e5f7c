import { createHash } from 'node:crypto';
import type { ClonedDatabase } from '@evaluation/test-services';
import { uploadCopy, type ApiClient } from './api.ts';
import { eventually, lookBehind } from './ledger.ts';
import { plainPdf } from './pdfs.ts';

/**
 * Uploads a valid file of this many pages and marks it as inspected without a worker: an inspection takes a process of
 * its own, and tests that begin later do not need it. For services that inspect nothing (INSPECT_CONCURRENCY 0).
 * @returns the upload's id
 */
export const uploadInspected = async (
  api: ApiClient,
  database: Pick<ClonedDatabase, 'superuserUrl'>,
  pages: number,
): Promise<string> => {
  const pdf = plainPdf(pages);
  const id = await uploadCopy(api, pdf);
  const behind = lookBehind(database);
  try {
    // The first read seals the file, then waits for the outcome of the inspection.
    const sealing = api.get(`/uploads/${id}`);
    await eventually('the upload is sealed', async () => {
      const untilInspected = await behind.query(
        `update uploads set status = 'ready', pages = $2, sha256 = $3 where id = $1 and status = 'inspecting' returning id`,
        [id, pages, createHash('sha256').update(pdf).digest('hex')],
      );
      return untilInspected.length > 0;
    });
    await sealing;
  } finally {
    await behind.close();
  }
  return id;
};
