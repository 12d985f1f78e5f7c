import { sql } from 'kysely';
import { checkedCopyPrefix, evidenceOfSubmissionPrefix } from '@evaluation/object-store';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import type { Services } from '../command/services.ts';
import { findForOperator, type WantedCandidate } from './findForOperator.ts';

/*
 * Exports the data of a candidate for the admin command that writes it into a folder
 * (docs/operate/privacy.md#data-of-a-candidate): first the candidate with the ids of all submissions, then each
 * submission, then its files as signed URLs in pages. The calls share no snapshot; each returns the state at its own
 * time.
 */

export const exportCandidate = async (services: Services, wanted: WantedCandidate) => {
  const { institute_id } = wanted;
  return services.database.inTenant(institute_id, async (tx) => {
    const id = await findForOperator(tx, wanted);
    const candidate = await tx
      .selectFrom('candidates')
      .selectAll()
      .where('institute_id', '=', institute_id)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const registrations = await tx
      .selectFrom('registrations as r')
      .innerJoin('exams as e', (join) =>
        join.onRef('e.institute_id', '=', 'r.institute_id').onRef('e.id', '=', 'r.exam_id'),
      )
      .select(['r.id', 'r.exam_id', 'e.title', 'e.external_ref', 'r.created_at', 'r.updated_at'])
      .where('r.institute_id', '=', institute_id)
      .where('r.candidate_id', '=', id)
      .orderBy('r.id')
      .execute();
    const submissions = await tx
      .selectFrom('submissions')
      .select('id')
      .where('institute_id', '=', institute_id)
      .where('candidate_id', '=', id)
      .orderBy('id')
      .execute();
    return { candidate, registrations, submission_ids: submissions.map((submission) => submission.id) };
  });
};

export const WantedSubmission = z.object({
  institute_id: z.uuid(),
  candidate_id: z.uuid(),
  submission_id: z.uuid(),
});
type WantedSubmission = z.infer<typeof WantedSubmission>;

/** Exports a submission of any state with its rows; files are exported apart. @throws DomainFailure not_found */
export const exportSubmission = async (services: Services, wanted: WantedSubmission) =>
  services.database.inTenant(wanted.institute_id, async (tx) => {
    const submission = await findSubmission(tx, wanted);
    const submissionKey = { institute_id: wanted.institute_id, submission_id: submission.id };
    const exam = await tx
      .selectFrom('exams')
      .select(['id', 'external_ref', 'title', 'mode', 'subject', 'class', 'conducted_on'])
      .where('institute_id', '=', submissionKey.institute_id)
      .where('id', '=', submission.exam_id)
      .executeTakeFirstOrThrow();
    const upload =
      submission.upload_id === null
        ? null
        : await tx
            .selectFrom('uploads')
            .select(['id', 'file_name', 'content_type', 'size_bytes', 'pages', 'sha256', 'status'])
            .select(['files_removed_at', 'created_at', 'updated_at'])
            .where('institute_id', '=', submissionKey.institute_id)
            .where('id', '=', submission.upload_id)
            .executeTakeFirstOrThrow();
    return {
      submission,
      exam,
      upload,
      answers: await rowsOf(tx, 'answers', submissionKey).orderBy('question_id').execute(),
      runs: await runsOf(tx, submissionKey),
      reviews: await rowsOf(tx, 'reviews', submissionKey)
        .orderBy('question_id')
        .orderBy('application')
        .execute(),
      marking_flags: await rowsOf(tx, 'marking_flags', submissionKey).orderBy('question_id').execute(),
      marking_ink: await rowsOf(tx, 'marking_ink', submissionKey).orderBy('drawn_at').orderBy('id').execute(),
      audit_entries: await rowsOf(tx, 'audit_entries', submissionKey).orderBy('id').execute(),
      checked_copies: await rowsOf(tx, 'checked_copies', submissionKey).orderBy('marks_revision').execute(),
    };
  });

const findSubmission = async (tx: Tx, wanted: WantedSubmission) => {
  const submission = await tx
    .selectFrom('submissions')
    .selectAll()
    .where('institute_id', '=', wanted.institute_id)
    .where('candidate_id', '=', wanted.candidate_id)
    .where('id', '=', wanted.submission_id)
    .executeTakeFirst();
  if (submission === undefined) throw new DomainFailure('not_found');
  return submission;
};

interface OfSubmission {
  institute_id: string;
  submission_id: string;
}

type RowsOfSubmission =
  | 'answers'
  | 'reviews'
  | 'marking_flags'
  | 'marking_ink'
  | 'audit_entries'
  | 'checked_copies';

const rowsOf = <T extends RowsOfSubmission>(
  tx: Tx,
  table: T,
  { institute_id, submission_id }: OfSubmission,
) =>
  tx
    .selectFrom<RowsOfSubmission>(table)
    .selectAll(table)
    .where('institute_id', '=', institute_id)
    .where('submission_id', '=', submission_id);

/** Reads all runs with readings, results and charges. The paper belongs to the exam and is left out. */
const runsOf = async (tx: Tx, { institute_id, submission_id }: OfSubmission) => {
  const { rows } = await sql<{ id: string; run: Record<string, unknown> }>`
    select r.id, to_jsonb(r) - 'paper' - 'worker' - 'fence' - 'claim_token_sha256'
      - 'delivery' - 'lease_until' || jsonb_build_object(
      'page_readings', (select coalesce(jsonb_agg(to_jsonb(p) - 'institute_id' - 'run_id' order by p.first_page), '[]')
        from page_readings p where p.institute_id = r.institute_id and p.run_id = r.id),
      'question_results', (select coalesce(jsonb_agg(jsonb_build_object('label', q.label) || (to_jsonb(t) - 'institute_id' - 'run_id')
          order by q.position), '[]')
        from question_results t left join questions q on q.institute_id = t.institute_id and q.id = t.question_id
        where t.institute_id = r.institute_id and t.run_id = r.id),
      'evidence_parts', (select coalesce(jsonb_agg(to_jsonb(e) - 'institute_id' - 'run_id' order by e.kind, e.ref), '[]')
        from evidence_parts e where e.institute_id = r.institute_id and e.run_id = r.id),
      'charges', (select coalesce(jsonb_agg(jsonb_build_object('kind', c.kind, 'amount', c.amount, 'created_at', c.created_at)
          order by c.id), '[]')
        from credit_entries c where c.institute_id = r.institute_id and c.run_id = r.id
          and (c.kind = 'reserve' or c.kind = 'charge' or c.kind = 'release'))) as run
    from runs r
    where r.institute_id = ${institute_id} and r.submission_id = ${submission_id}
    order by r.attempt`.execute(tx);
  return rows.map(({ run }) => run);
};

export const WantedFiles = WantedSubmission.extend({
  after: z.string().max(1024).optional(),
  /** True if the caller runs inside the cluster, where the public name of the store may not resolve. */
  inside: z.boolean().default(false),
});

/** Time for the files of one answer, downloaded one after the other over a slow line. */
const URL_SECONDS = 3600;
const FILES_AT_ONCE = 20;

/**
 * Exports files of a submission in the order of their keys. @returns the path of each file in the export and a signed
 * URL for the public endpoint of the store, or for core's endpoint if `inside` is set; `next`: null after the last file
 * @throws DomainFailure not_found
 */
export const exportFiles = async (
  services: Pick<Services, 'database' | 'objects'>,
  wanted: z.infer<typeof WantedFiles>,
) => {
  const { institute_id, submission_id, after = '', inside } = wanted;
  const upload = await services.database.inTenant(institute_id, async (tx) => {
    const { upload_id } = await findSubmission(tx, wanted);
    return tx
      .selectFrom('uploads')
      .select(['sealed_key'])
      .where('institute_id', '=', institute_id)
      .where('id', '=', upload_id)
      .executeTakeFirst();
  });
  const files: { path: string; size_bytes: number; url: string }[] = [];
  let next: string | null = null;
  for await (const { key, path } of filesOf(
    services,
    institute_id,
    submission_id,
    upload?.sealed_key ?? null,
  )) {
    if (key <= after) continue;
    if (files.length === FILES_AT_ONCE) return { files, next };
    const object = await services.objects.head(key);
    next = key;
    if (object === null) continue;
    const url = await services.objects.presignGet(key, {
      expiresInSeconds: URL_SECONDS,
      byClient: !inside,
    });
    files.push({ path, size_bytes: object.sizeBytes, url });
  }
  return { files, next: null };
};

/** Yields the files in the order of their keys: `checked-copies`, `evidence`, `sealed`. */
async function* filesOf(
  { objects }: Pick<Services, 'objects'>,
  instituteId: string,
  submissionId: string,
  sealed: string | null,
): AsyncGenerator<{ key: string; path: string }> {
  const drawings = checkedCopyPrefix(instituteId, submissionId);
  for await (const key of objects.list(drawings)) {
    yield { key, path: `checked-copies/${key.slice(drawings.length)}` };
  }
  const evidence = evidenceOfSubmissionPrefix(instituteId, submissionId);
  for await (const key of objects.list(evidence)) {
    yield { key, path: `evidence/${key.slice(evidence.length)}` };
  }
  if (sealed !== null) yield { key: sealed, path: 'copy.pdf' };
}
