/**
 * Where each object lives. The institute comes first, so that all of one institute can be listed, moved or erased
 * together; nothing a client names ever becomes part of a key.
 */

/** Where the client's presigned PUT goes. May be overwritten while its address is valid: read it never, seal it. */
export function uploadKey(instituteId: string, uploadId: string): string {
  return `institutes/${checked(instituteId)}/uploads/${checked(uploadId)}.pdf`;
}

/**
 * What the keys of an upload's server-side copies begin with; each adds what makes it unique. The one that its row names
 * is alone used from the first read on.
 */
export function sealedKey(instituteId: string, uploadId: string): string {
  return `institutes/${checked(instituteId)}/sealed/${checked(uploadId)}.pdf`;
}

/** One drawing of a checked copy. The fence keeps a stale worker's late PUT from replacing its successor's drawing. */
export function checkedCopyKey(
  instituteId: string,
  submissionId: string,
  runId: string,
  fence: number,
): string {
  if (!Number.isSafeInteger(fence) || fence < 0) throw new RangeError(`${fence} is no fence`);
  return `${checkedCopyPrefix(instituteId, submissionId)}${checked(runId)}-${fence}.pdf`;
}

/** One drawing of the marks as a teacher has changed them. Each attempt at each delivery has a key of its own. */
export function redrawnCopyKey(
  instituteId: string,
  submissionId: string,
  delivery: number,
  attempt: number,
): string {
  for (const number of [delivery, attempt]) {
    if (!Number.isSafeInteger(number) || number < 1) throw new RangeError(`${number} counts nothing`);
  }
  return `${checkedCopyPrefix(instituteId, submissionId)}redrawn-${delivery}-${attempt}.pdf`;
}

/** What the keys of all drawings of one submission begin with, of every run and every claim of it, and those drawn anew. */
export function checkedCopyPrefix(instituteId: string, submissionId: string): string {
  return `institutes/${checked(instituteId)}/checked-copies/${checked(submissionId)}/`;
}

/**
 * One part of the evidence of a run, named by the SHA-256 (hex) of what it holds. Below the run: what expires with it goes
 * without asking who else has the same part.
 */
export function evidenceKey(
  instituteId: string,
  submissionId: string,
  runId: string,
  sha256: string,
): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError(`${JSON.stringify(sha256)} is no SHA-256`);
  return `${evidencePrefix(instituteId, submissionId, runId)}${sha256}.json.gz`;
}

/** What the keys of all evidence of one run begin with, of every claim of it. */
export function evidencePrefix(instituteId: string, submissionId: string, runId: string): string {
  return `${evidenceOfSubmissionPrefix(instituteId, submissionId)}${checked(runId)}/`;
}

/** What the keys of the evidence of all runs of a submission begin with. */
export function evidenceOfSubmissionPrefix(instituteId: string, submissionId: string): string {
  return `institutes/${checked(instituteId)}/evidence/${checked(submissionId)}/`;
}

function checked(id: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(id)) throw new RangeError(`${JSON.stringify(id)} is no id`);
  return id;
}
