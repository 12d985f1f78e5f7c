import { expect, test } from 'vitest';
import type { Upload } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { uploadCopy, type ApiClient } from '../harness/api.ts';
import { eventually, lookBehind } from '../harness/ledger.ts';
import { plainPdf } from '../harness/pdfs.ts';
import { startService } from '../harness/service.ts';

/* One institute floods the inspections while an upload of another institute waits. One slot is the worst case. */

const service = closedAfterTests(
  await startService({
    COPY_CONCURRENCY: '0',
    TYPED_CONCURRENCY: '0',
    DRAW_CONCURRENCY: '0',
    INSPECT_CONCURRENCY: '1',
    INSPECTION_WAIT_SECONDS: '0',
  }),
);
const behind = closedAfterTests(lookBehind(service.database));

const PDF = plainPdf(1);
/** With 80 pages one inspection takes longer than the reads that queue forty inspections. */
const LONG_PDF = plainPdf(80);

/** Time from the first read to `ready`. @returns milliseconds */
const inspect = async (api: ApiClient, id: string): Promise<number> => {
  const begun = performance.now();
  await eventually('the upload is ready', async () => {
    const { body } = await api.get<Upload>(`/uploads/${id}`);
    return body.status === 'ready';
  });
  return performance.now() - begun;
};

test('behind 40 inspections of another institute, a single upload waits only for the inspection under way', async () => {
  const { api: flooding, instituteId } = await service.newInstitute();
  const { api: other } = await service.newInstitute();
  await inspect(other, await uploadCopy(other, PDF));
  const alone = await inspect(other, await uploadCopy(other, PDF));

  const upload = await uploadCopy(other, PDF);
  const flood = await Promise.all(Array.from({ length: 40 }, () => uploadCopy(flooding, LONG_PDF)));
  await Promise.all(flood.map((id) => flooding.get(`/uploads/${id}`)));
  await eventually('an inspection of the flood is in progress', async () => {
    const [row] = await behind.query<{ count: number }>(
      'select count(inspect_claimed_at)::int as count from uploads where institute_id = $1',
      [instituteId],
    );
    return (row?.count ?? 0) > 0;
  });
  const begun = performance.now();
  const read = other.get(`/uploads/${upload}`);
  // Sealing takes as long as the object store needs; the upload waits for its inspection from its seal on.
  const inspectedBefore = await eventually('the upload is sealed', async () => {
    const [row] = await behind.query<{ inspected: number; sealed: boolean }>(
      `select (select count(*)::int from uploads where institute_id = $1 and status = 'ready') as inspected,
         exists (select from uploads where id = $2 and status <> 'pending') as sealed`,
      [instituteId, upload],
    );
    return row?.sealed === true ? { count: row.inspected } : false;
  });
  await read;
  await inspect(other, upload);
  const behindTheFlood = performance.now() - begun;
  const ahead = (await inspectedOf(instituteId, upload)).length - inspectedBefore.count;
  const waiting = flood.length - (await inspectedOf(instituteId, null)).length;

  expect(waiting, 'the flood is not over').toBeGreaterThan(10);
  expect(ahead, 'the inspection under way, and one released at the moment of the seal').toBeLessThanOrEqual(
    2,
  );
  // The order above is the proof; the time only shows that no other wait is added.
  expect(behindTheFlood).toBeLessThan(3 * alone + 3000);
  await behind.query(`update uploads set status = 'rejected' where status = 'inspecting'`);
});

const inspectedOf = (instituteId: string, by: string | null) =>
  behind.query(
    `select id from uploads where institute_id = $1 and status = 'ready'
       and updated_at <= coalesce((select updated_at from uploads where id = $2), now())`,
    [instituteId, by],
  );
