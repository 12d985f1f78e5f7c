import type { Tx } from '@evaluation/database';
import type { PagePictures } from '../command/workerCalls/workerInput.ts';
import type { Services } from '../command/services.ts';

interface CheckedCopy {
  institute_id: string;
  submission_id: string;
  marks_revision: number;
  object_key: string;
  size_bytes: number;
  pictures: PagePictures;
}

/**
 * Replaces the checked copy. The caller holds the submission's lock.
 * @returns object keys of the earlier copies, to be deleted after the commit
 */
export const storeCheckedCopy = async (tx: Tx, copy: CheckedCopy): Promise<string[]> => {
  // A worker has read untrusted files: places outside of the file are not kept.
  const isInside = copy.pictures.every(({ offset, length }) => offset + length <= copy.size_bytes);
  const pictures = JSON.stringify(isInside ? copy.pictures : []);
  await tx
    .insertInto('checked_copies')
    .values({ ...copy, pictures })
    .execute();
  const earlier = await tx
    .deleteFrom('checked_copies')
    .where('institute_id', '=', copy.institute_id)
    .where('submission_id', '=', copy.submission_id)
    .where('marks_revision', '<', copy.marks_revision)
    .returning('object_key')
    .execute();
  return earlier.map(({ object_key }) => object_key);
};

/** Deletes copies, best effort: a copy whose deletion fails is deleted together with its submission. */
export const discardCopies = async (services: Services, keys: string[]): Promise<void> => {
  if (keys.length === 0) return;
  try {
    await services.objects.delete(keys);
  } catch (error) {
    services.log.warn(
      { err: error },
      'deleting the checked copies of earlier marks failed; they are deleted with their submission',
    );
  }
};
