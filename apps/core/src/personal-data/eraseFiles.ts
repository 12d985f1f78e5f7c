import { sql } from 'kysely';
import { checkedCopyPrefix, evidenceOfSubmissionPrefix, sealedKey } from '@evaluation/object-store';
import type { Services } from '../command/services.ts';
import { unreachable } from '../command/unreachable.ts';

/**
 * Deletes all objects of a portion of a candidate's submissions, in the order of their ids: uploaded files, sealed and
 * checked copies, and evidence, with or without a row. The rows are updated after the objects are deleted. An object
 * that the store refuses to delete (a hold, a policy) does not stop the other submissions.
 * @returns id of the last submission of the portion; null if no submissions are left
 * @throws errors of the store; the portion is then repeated
 */
export const removeFilesOf = async (
  services: Pick<Services, 'database' | 'objects'>,
  { institute_id, candidate_id }: { institute_id: string; candidate_id: string },
  portion: { after: string | null; limit: number; signal: AbortSignal },
): Promise<string | null> => {
  const { after, limit, signal } = portion;
  const submissions = await services.database.inTenant(institute_id, (tx) =>
    tx
      .selectFrom('submissions as s')
      .leftJoin('uploads as u', (join) =>
        join.onRef('u.institute_id', '=', 's.institute_id').onRef('u.id', '=', 's.upload_id'),
      )
      .select(['s.id', 's.upload_id', 'u.object_key'])
      .where('s.institute_id', '=', institute_id)
      .where('s.candidate_id', '=', candidate_id)
      .$if(after !== null, (query) => query.where('s.id', '>', after))
      .orderBy('s.id')
      .limit(limit)
      .execute(),
  );
  const failures: unknown[] = [];
  for (const submission of submissions) {
    signal.throwIfAborted();
    try {
      await removeOf(services, institute_id, submission, signal);
    } catch (error) {
      if (unreachable(error) !== null || signal.aborted) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return submissions.length < limit ? null : (submissions.at(-1)?.id ?? null);
};

const removeOf = async (
  services: Pick<Services, 'database' | 'objects'>,
  institute_id: string,
  { id, upload_id, object_key }: { id: string; upload_id: string | null; object_key: string | null },
  signal: AbortSignal,
): Promise<void> => {
  const keys: string[] = object_key === null ? [] : [object_key];
  const prefixes = [
    ...(upload_id === null ? [] : [sealedKey(institute_id, upload_id)]),
    checkedCopyPrefix(institute_id, id),
    evidenceOfSubmissionPrefix(institute_id, id),
  ];
  for (const prefix of prefixes) {
    for await (const key of services.objects.list(prefix, { signal })) keys.push(key);
  }
  await services.objects.delete(keys, { signal });
  await services.database.inTenant(institute_id, async (tx) => {
    if (upload_id !== null) {
      await tx
        .updateTable('uploads')
        .set({ files_removed_at: sql<Date>`clock_timestamp()` })
        .where('institute_id', '=', institute_id)
        .where('id', '=', upload_id)
        .where('files_removed_at', 'is', null)
        .execute();
    }
    await tx
      .updateTable('runs')
      .set({ evidence_since: null, evidence_unneeded_since: null })
      .where('institute_id', '=', institute_id)
      .where('submission_id', '=', id)
      .where('evidence_since', 'is not', null)
      .execute();
  });
};
