import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { Finalize, type Finalized, type SubmissionStatus } from '@evaluation/rest-contract/schemas';
import { finalizeVerdict } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { failure } from '../../command/failures.ts';
import { accept, refuseField } from '../../command/accept.ts';
import { lockExamFor } from '../../command/locks/lockExam.ts';
import type { Services } from '../../command/services.ts';
import { audit } from '../../command/audit.ts';

/**
 * Finalizes the named submissions, or all graded ones. Only their state changes. The exam is `finalized` when all its
 * live submissions are. Locks: exam, then submissions by id.
 * @throws DomainFailure exam_not_found, conflict (a draft), validation_failed, not_found (a named submission is not of
 * the exam)
 */
export const finalizeExam = (
  services: Services,
  actor: Actor,
  examId: string,
  body: unknown,
): Promise<Finalized> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExamFor(tx, actor, examId, 'finalize');
    const request = checkRequest(accept(Finalize, body));
    const named =
      request.submission_ids == null
        ? null
        : [...new Set(request.submission_ids.map((id) => id.toLowerCase()))];
    const found = await lockSubmissions(tx, actor.institute_id, exam.id, named);
    if (named !== null && found.length < named.length) {
      throw failure('submission_of_another_exam');
    }
    const judged = found.map((submission) => ({
      submission,
      verdict: finalizeVerdict(submission, request.allow_partial === true),
    }));
    const final = judged.flatMap(({ submission, verdict }) => (verdict === 'finalize' ? [submission] : []));
    await finalizeThem(tx, actor, exam, final);
    return {
      skipped:
        named === null
          ? []
          : judged.flatMap(({ submission, verdict }) =>
              verdict === 'finalize' ? [] : [{ submission_id: submission.id, reason: verdict }],
            ),
    };
  });

/** @throws DomainFailure validation_failed unless exactly one of the two fields is sent */
const checkRequest = (request: Finalize): Finalize => {
  if ((request.submission_ids == null) === (request.all_graded == null)) {
    refuseField(
      'submission_ids',
      request.submission_ids == null ? 'required' : 'not_allowed',
      'Send submission_ids or all_graded, exactly one.',
    );
  }
  return request;
};

interface Found {
  id: string;
  state: 'live' | 'replaced' | 'deleted';
  status: SubmissionStatus;
  finalized: boolean;
}

/** Locks submissions in the order of their ids, as all commands that lock several. */
const lockSubmissions = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  named: readonly string[] | null,
): Promise<Found[]> => {
  const rows = await tx
    .selectFrom('submissions')
    .select(['id', 'state', 'status', 'finalized_at'])
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', examId)
    .where(
      named === null
        ? sql<boolean>`state = 'live' and finalized_at is null`
        : sql<boolean>`id = any(${named}::uuid[])`,
    )
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(({ finalized_at, ...row }) => ({ ...row, finalized: finalized_at !== null }));
};

const finalizeThem = async (
  tx: Tx,
  actor: Actor,
  exam: { id: string; live_unfinalized: number },
  final: readonly Found[],
): Promise<void> => {
  if (final.length === 0) return;
  await tx
    .updateTable('submissions')
    .set({ finalized_at: sql<Date>`clock_timestamp()` })
    .where('institute_id', '=', actor.institute_id)
    .where(sql<boolean>`id = any(${final.map(({ id }) => id)}::uuid[])`)
    .execute();
  await tx
    .updateTable('exams')
    .set({ live_unfinalized: exam.live_unfinalized - final.length })
    .where('institute_id', '=', actor.institute_id)
    .where('id', '=', exam.id)
    .execute();
  await audit(
    tx,
    actor,
    final.map(({ id, status }) => ({
      action: 'finalize',
      exam_id: exam.id,
      submission_id: id,
      reviewer: null,
      reason: null,
      before: { finalized: false, status },
      after: { finalized: true, status },
    })),
  );
};
