/**
 * Keys of all objects. They begin with the institute, so that its objects can be listed or deleted together. Keys
 * never contain names that a client chose.
 */

/** The presigned PUT's target. Clients can overwrite it while the URL is valid, so only its sealed copy is read. */
export const uploadKey = (instituteId: string, uploadId: string): string =>
  `institutes/${checked(instituteId)}/uploads/${checked(uploadId)}.pdf`;

/** Prefix of an upload's sealed copies, each with a unique suffix. Only the copy named in its row is read. */
export const sealedKey = (instituteId: string, uploadId: string): string =>
  `institutes/${checked(instituteId)}/sealed/${checked(uploadId)}.pdf`;

/** The fence in the key keeps a late PUT of a stale worker from replacing a newer drawing. */
export const checkedCopyKey = (
  instituteId: string,
  submissionId: string,
  runId: string,
  fence: number,
): string => {
  if (!Number.isSafeInteger(fence) || fence < 0) throw new RangeError(`invalid fence: ${fence}`);
  return `${checkedCopyPrefix(instituteId, submissionId)}${checked(runId)}-${fence}.pdf`;
};

/** Key of a drawing after changes of marks. Each attempt at each delivery has its own key. */
export const redrawnCopyKey = (
  instituteId: string,
  submissionId: string,
  delivery: number,
  attempt: number,
): string => {
  for (const number of [delivery, attempt]) {
    if (!Number.isSafeInteger(number) || number < 1)
      throw new RangeError(`invalid delivery or attempt: ${number}`);
  }
  return `${checkedCopyPrefix(instituteId, submissionId)}redrawn-${delivery}-${attempt}.pdf`;
};

/** Prefix of all drawings of a submission, over all runs, claims and changes of marks. */
export const checkedCopyPrefix = (instituteId: string, submissionId: string): string =>
  `institutes/${checked(instituteId)}/checked-copies/${checked(submissionId)}/`;

/** Key of an object with several parts of a run's evidence. @param packId a UUID that is used once */
export const evidencePackKey = (
  instituteId: string,
  submissionId: string,
  runId: string,
  packId: string,
): string => `${evidencePrefix(instituteId, submissionId, runId)}pack-${checked(packId)}.gz`;

export const evidencePrefix = (instituteId: string, submissionId: string, runId: string): string =>
  `${evidenceOfSubmissionPrefix(instituteId, submissionId)}${checked(runId)}/`;

export const evidenceOfSubmissionPrefix = (instituteId: string, submissionId: string): string =>
  `institutes/${checked(instituteId)}/evidence/${checked(submissionId)}/`;

const checked = (id: string): string => {
  if (!/^[A-Za-z0-9_-]+$/.test(id)) throw new RangeError(`invalid id: ${JSON.stringify(id)}`);
  return id;
};
