import { randomUUID } from 'node:crypto';
import { checkedCopyKey, objectStore, sealedKey, uploadKey } from '@evaluation/object-store';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { sql, type RawBuilder } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newTestCore } from '../../test/newTestCore.ts';
import { takeCopy } from '../submissions/takeCopy.ts';
import { removeFiles, unneeded, untidy, type Needed } from './removeFiles.ts';

const { services, bucket, client: maker, close } = await newTestCore({ FILE_RETENTION_DAYS: '30' });
const { database, objects } = services;
afterAll(close);

const institute = randomUUID();
/** An institute that keeps files for 3 days. */
const hasty = randomUUID();

beforeAll(() =>
  maker.query(
    'insert into institute_settings (institute_id, files_days, changed_by) values ($1, 3, gen_random_uuid())',
    [hasty],
  ),
);
beforeEach(() => maker.query('truncate uploads'));

const round = (needed: Needed = services) => removeFiles(needed, new AbortController().signal);

interface Made {
  id: string;
  submissionId: string | null;
  address: string;
  sealed: string | null;
}

const makeUpload = async (upload: {
  days: number;
  status?: 'pending' | 'inspecting' | 'ready' | 'rejected';
  used?: 'by a live submission' | 'by a deleted one';
  tidied?: boolean;
  files?: boolean;
  owner?: string;
}): Promise<Made> => {
  const { days, status = 'ready', used, tidied = true, files = true, owner = institute } = upload;
  const id = randomUUID();
  const made: Made = {
    id,
    submissionId: used === undefined ? null : randomUUID(),
    address: uploadKey(owner, id),
    sealed: status === 'pending' ? null : `${sealedKey(owner, id)}-${randomUUID()}`,
  };
  await maker.query(
    `insert into uploads (id, institute_id, status, file_name, content_type, size_bytes, object_key, sealed_key, pages,
       submission_id, unneeded_since, tidied_at, created_at, updated_at)
     select $1, $2, $3::"UploadStatus", 'copy.pdf', 'application/pdf', 1, $4, $5, 3,
       $6, case when $7 then null else at end, case when $8 then at end, at, at
     from (select now() - make_interval(secs => 86400 * $9::float8) as at)`,
    [
      id,
      owner,
      status,
      made.address,
      made.sealed,
      made.submissionId,
      used === 'by a live submission',
      tidied,
      days,
    ],
  );
  if (files) await put(made.sealed ?? made.address);
  return made;
};

const put = (key: string) => objects.put(key, Buffer.from('x'), 'application/pdf');
const isThere = async (key: string | null): Promise<boolean> =>
  key !== null && (await objects.head(key)) !== null;

const rowOf = async ({ id }: Made) => {
  const { rows } = await maker.query<{
    status: string;
    pages: number | null;
    reject_reason: string | null;
    removed: boolean;
    tidied: boolean;
  }>(
    `select status, pages, reject_reason, files_removed_at is not null as removed, tidied_at is not null as tidied
     from uploads where id = $1`,
    [id],
  );
  return rows[0];
};

/** Moves all uploads back past QUIET_MINUTES. */
const letItRest = () => maker.query(`update uploads set updated_at = updated_at - interval '16 minutes'`);

test.each(['pending', 'inspecting', 'ready', 'rejected'] as const)(
  'an upload that stayed %s without a submission is rejected after the retention time, then its file is removed',
  async (status) => {
    const made = await makeUpload({ days: 30.1, status });
    await maker.query('update uploads set updated_at = now()');
    await round();
    expect(await rowOf(made)).toMatchObject({ status: 'rejected', removed: false });
    expect(await isThere(made.sealed ?? made.address)).toBe(true);
    if (status !== 'rejected') {
      expect(await rowOf(made)).toMatchObject({
        pages: null,
        reject_reason: expect.stringMatching(/removed.* 30 days.*[Uu]pload it again/),
      });
    }

    await letItRest();
    await round();
    expect(await rowOf(made)).toMatchObject({ status: 'rejected', removed: true });
    expect(await isThere(made.sealed ?? made.address)).toBe(false);
  },
);

test.each(['pending', 'ready', 'rejected'] as const)(
  'the file of a %s upload stays within the retention time',
  async (status) => {
    const made = await makeUpload({ days: 29.9, status });
    await round();
    expect(await rowOf(made)).toMatchObject({ status, removed: false });
    expect(await isThere(made.sealed ?? made.address)).toBe(true);
  },
);

test('an institute that keeps files for fewer days loses the older ones, and its neighbour keeps them', async () => {
  const made = await Promise.all(
    [hasty, institute].flatMap((owner) =>
      [3.1, 2.9].flatMap((days) => [
        makeUpload({ owner, days }),
        makeUpload({ owner, days, used: 'by a deleted one' }),
      ]),
    ),
  );
  await round();
  await letItRest();
  await round();
  const outcomes = await Promise.all(
    made.map(async (upload) => ({ ...(await rowOf(upload)), file: await isThere(upload.sealed) })),
  );
  const [unused, ofDeleted, ...others] = outcomes;
  expect(unused).toMatchObject({
    status: 'rejected',
    removed: true,
    file: false,
    reject_reason: expect.stringContaining('within 3 days'),
  });
  expect(ofDeleted).toMatchObject({ status: 'ready', removed: true, file: false });
  expect(others).toHaveLength(6);
  for (const other of others) expect(other).toMatchObject({ status: 'ready', removed: false, file: true });
});

test('the file of a submission stays at any age', async () => {
  const made = await makeUpload({ days: 1000, used: 'by a live submission' });
  await round();
  await letItRest();
  await round();
  expect(await rowOf(made)).toMatchObject({ status: 'ready', pages: 3, removed: false });
  expect(await isThere(made.sealed)).toBe(true);
});

test('the files and checked copies of a deleted submission are removed, and those of others stay', async () => {
  const made = await makeUpload({ days: 30.1, used: 'by a deleted one' });
  const recent = await makeUpload({ days: 29.9, used: 'by a deleted one' });
  const copies = [1, 2].map((fence) =>
    checkedCopyKey(institute, made.submissionId ?? '', randomUUID(), fence),
  );
  const others = [recent.submissionId ?? '', randomUUID()].map((submissionId) =>
    checkedCopyKey(institute, submissionId, randomUUID(), 1),
  );
  for (const key of [...copies, ...others]) await put(key);
  await round();
  expect(await rowOf(made)).toMatchObject({ status: 'ready', removed: true });
  expect(await Promise.all([made.sealed, ...copies].map(isThere))).toEqual([false, false, false]);
  expect(await rowOf(recent)).toMatchObject({ removed: false });
  expect(await Promise.all([recent.sealed, ...others].map(isThere))).toEqual([true, true, true]);
});

test('objects left by late PUTs and dead first reads are removed, and the object in use stays', async () => {
  const made = await makeUpload({ days: 0.1, used: 'by a live submission', tidied: false });
  const lost = `${sealedKey(institute, made.id)}-${randomUUID()}`;
  for (const key of [made.address, lost]) await put(key);
  await round();
  expect(await Promise.all([made.address, lost, made.sealed].map(isThere))).toEqual([false, false, true]);
  expect(await rowOf(made)).toMatchObject({ status: 'ready', tidied: true, removed: false });
});

test('an upload is not tidied while its URL is valid, during sealing, or without a sealed copy', async () => {
  const fresh = await makeUpload({ days: 0.05, tidied: false });
  const justSealed = await makeUpload({ days: 1, status: 'inspecting', tidied: false });
  const neverRead = await makeUpload({ days: 1, status: 'pending', tidied: false });
  await maker.query('update uploads set updated_at = now() where id = $1', [justSealed.id]);
  const losing = `${sealedKey(institute, justSealed.id)}-${randomUUID()}`;
  for (const key of [fresh.address, losing]) await put(key);
  await round();
  expect(await Promise.all([fresh.address, losing, neverRead.address].map(isThere))).toEqual([
    true,
    true,
    true,
  ]);
  for (const made of [fresh, justSealed, neverRead])
    expect(await rowOf(made)).toMatchObject({ tidied: false });
});

test('while the store is down the round ends, and a later round removes the files', async () => {
  const unclaimed = await makeUpload({ days: 31, status: 'rejected' });
  const untidied = await makeUpload({ days: 1, tidied: false });
  await put(untidied.address);
  const nowhere = objectStore({ ...bucket, endpoint: 'http://127.0.0.1:1' });
  await round({ ...services, objects: nowhere });
  nowhere.close();
  expect(await rowOf(unclaimed)).toMatchObject({ removed: false });
  expect(await rowOf(untidied)).toMatchObject({ tidied: false });

  await round();
  expect(await rowOf(unclaimed)).toMatchObject({ removed: true });
  expect(await rowOf(untidied)).toMatchObject({ tidied: true });
  expect(await Promise.all([unclaimed.sealed, untidied.address].map(isThere))).toEqual([false, false]);
});

test('a removal that a dead process did not record is recorded by the next round', async () => {
  const made = await makeUpload({ days: 31, status: 'rejected' });
  await objects.delete([made.sealed ?? '']);
  await round();
  expect(await rowOf(made)).toMatchObject({ removed: true });
});

test('concurrent replicas remove all of more than BATCH uploads', async () => {
  await maker.query(
    `insert into uploads (id, institute_id, status, file_name, content_type, size_bytes, object_key, unneeded_since, created_at, updated_at)
     select gen_random_uuid(), $1, 'pending', 'copy.pdf', 'application/pdf', 1, 'institutes/' || at, now() - interval '31 days',
       now() - interval '31 days', now() - interval '31 days'
     from generate_series(1, 101) at`,
    [institute],
  );
  await Promise.all([round(), round()]);
  await letItRest();
  await Promise.all([round(), round()]);
  const { rows } = await maker.query(
    'select status, files_removed_at is not null as removed, count(*)::int from uploads group by 1, 2',
  );
  expect(rows).toEqual([{ status: 'rejected', removed: true, count: 101 }]);
});

const take = async (
  { id }: Made,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<string> => {
  try {
    await database.inTenant(institute, async (tx) => {
      await takeCopy(tx, {
        instituteId: institute,
        exam: { question_count: 1 },
        submissionId: randomUUID(),
        uploadId: id,
      });
      await meanwhile();
    });
    return 'taken';
  } catch (error) {
    if (!(error instanceof DomainFailure)) throw error;
    return error.failure.code;
  }
};

test('an upload locked by a submission is skipped without waiting', async () => {
  const [made, other] = [await makeUpload({ days: 31 }), await makeUpload({ days: 31 })];
  expect(await take(made, () => round())).toBe('taken');
  expect(await rowOf(other)).toMatchObject({ status: 'rejected' });
  await letItRest();
  await round();
  expect(await rowOf(made)).toMatchObject({ status: 'ready', pages: 3, removed: false });
  expect(await isThere(made.sealed)).toBe(true);
});

test('a submission that races with the removal keeps its file or is refused', async () => {
  const uploads: Made[] = [];
  for (let index = 0; index < 60; index += 1) uploads.push(await makeUpload({ days: 31 }));
  const [early, late] = [uploads.slice(0, 30), uploads.slice(30)];
  const outcomes: string[] = [];
  const takeAll = async (some: Made[]) => {
    for (const made of some) outcomes[uploads.indexOf(made)] = await take(made);
  };
  await takeAll(early.slice(0, 10));
  const rounds = Promise.all([round(), round()]);
  await Promise.all([takeAll(early.slice(10, 20)), takeAll(early.slice(20)), takeAll(late.slice(0, 20))]);
  await rounds;
  await takeAll(late.slice(20));
  expect(new Set(outcomes)).toEqual(new Set(['taken', 'validation_failed']));
  await letItRest();
  await round();
  for (const [index, made] of uploads.entries()) {
    const kept = outcomes[index] === 'taken';
    expect(await rowOf(made)).toMatchObject(
      kept ? { status: 'ready', removed: false } : { status: 'rejected', removed: true },
    );
    expect(await isThere(made.sealed)).toBe(kept);
  }
});

test('an upload of a submission has no unneeded_since', async () => {
  const made = await makeUpload({ days: 1 });
  expect(await take(made)).toBe('taken');
  const { rows } = await maker.query('select unneeded_since from uploads where id = $1', [made.id]);
  expect(rows).toEqual([{ unneeded_since: null }]);
});

test('with 50,000 uploads the due rows are read from their indexes only', async () => {
  await maker.query(
    `insert into uploads (id, institute_id, status, file_name, content_type, size_bytes, object_key, sealed_key, submission_id,
       unneeded_since, tidied_at, files_removed_at, created_at, updated_at)
     select gen_random_uuid(), gen_random_uuid(), 'ready', 'copy.pdf', 'application/pdf', 1, 'k', 's', gen_random_uuid(),
       case when at % 3 = 0 then old end, case when at % 1000 > 0 then old end, case when at % 2 = 0 then old end, old, old
     from (select at, now() - make_interval(days => 1 + at % 60) as old from generate_series(1, 50000) at) made`,
  );
  await maker.query('analyze uploads');
  const due = async (statement: RawBuilder<unknown>) => {
    const { rows } = await database.acrossInstitutes((tx) =>
      sql<{ 'QUERY PLAN': string }>`explain (analyze, costs off, timing off) ${statement}`.execute(tx),
    );
    return rows.map((line) => line['QUERY PLAN']).join('\n');
  };
  const tidied = await due(untidy);
  expect(tidied).toMatch(/Index Scan using uploads_untidy/);
  expect(tidied).toMatch(/rows=50 /);
  expect(tidied).not.toMatch(/Seq Scan|Rows Removed by Filter: \d{3}|Sort/);
  const [ofAll, ofInstitutes] = unneeded(30);
  const removed = await due(ofAll);
  expect(removed).toMatch(/Index Scan using uploads_unneeded/);
  expect(removed).not.toMatch(/Seq Scan|Rows Removed by Filter: \d{3}|Sort/);
  const removedOfInstitutes = await due(ofInstitutes);
  expect(removedOfInstitutes).toMatch(/Index Scan using uploads_unneeded_of_institute/);
  expect(removedOfInstitutes).not.toMatch(/Seq Scan on uploads|Rows Removed by Filter: \d{3}|Sort/);
});
