import { randomUUID } from 'node:crypto';
import type { MarkedQuestion } from '@evaluation/grading-model';
import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { runLanes } from '@evaluation/jobs-contract';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Problem } from '@evaluation/rest-contract/field-errors';
import { SubmissionCreate, type Submission } from '@evaluation/rest-contract/schemas';
import { isRead, MAX_AMOUNT, priceOf, quoteFor, type Parts } from '@evaluation/rules';
import type { Actor } from '@evaluation/signed-actor';
import { accept, isUuid, refuseField } from '../accept.ts';
import { registerCandidates } from '../candidates/register.ts';
import { upsertCandidates } from '../candidates/upsert.ts';
import { insufficientCredits } from '../credits/ledger.ts';
import { lockExam, refuseChange } from '../locks/lockExam.ts';
import { announceStop, stopRun, type StoppedRun } from '../runs/stopRun.ts';
import type { Services } from '../services.ts';
import { sealUpload } from '../uploads/sealUpload.ts';
import { readSubmission } from './getSubmission.ts';
import { insertSubmission } from './insertSubmission.ts';
import { countCredits } from '../metrics.ts';
import { lockRowFor } from '../locks/lockSubmission.ts';
import { readPaper } from '../paper/paper.ts';
import { payForRun, readTerms } from '../runs/payForRun.ts';
import { takeCopy } from './takeCopy.ts';
import { checkAnswers, takeTypedAnswers } from './takeTypedAnswers.ts';

/**
 * Accepts a copy or typed answers for grading, or changes nothing (docs/api/submissions.md#submit). Locks in the one order:
 * exam → candidates → upload → submissions → run → registrations → quotas → credits (docs/architecture.md#lock-order).
 */
export const createSubmission = async (
  services: Services,
  actor: Actor,
  examId: string,
  body: unknown,
): Promise<Submission> => {
  const created = await services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExam(tx, actor.institute_id, examId);
    refuseChange(exam, 'submit');
    // Rubrics mark nothing yet: a submission is accepted while their table is held up.
    const paper = exam.mode === 'typed' ? await readPaper(tx, actor.institute_id, exam.id, null) : [];
    const request = checkRequest(
      accept(SubmissionCreate, body, (parts) => problemsOfAnswers(parts, exam.mode, paper)),
      exam.mode,
    );

    const submissionId = randomUUID();
    const candidateId = await takeCandidate(tx, actor.institute_id, exam.id, request);
    // Before the upload and the answers: a request sent twice learns of its first, not that its upload is used.
    const replacedId = await findReplaced(
      tx,
      actor.institute_id,
      exam,
      candidateId,
      request.replace === true,
    );
    const intake =
      exam.mode === 'handwritten'
        ? await takeCopy(tx, {
            instituteId: actor.institute_id,
            exam,
            submissionId,
            uploadId: request.upload_id ?? '',
          })
        : takeTypedAnswers(paper, request.answers ?? []);

    const terms = await readTerms(tx, actor);
    const lane = exam.mode === 'handwritten' ? 'copy' : 'typed';
    const unit = runLanes[lane].grades === 'pages' ? 'page' : 'answer';
    const price = priceOf(unit, unit === 'page' ? terms.credits_per_page : terms.credits_per_answer);
    const quote = { unit, ...quoteFor(price, intake.units) } as const;
    // No balance covers it, and no column holds it: a price from before prices had a bound.
    if (quote.credits > MAX_AMOUNT) throw await insufficientCredits(tx, actor.institute_id, quote.credits);

    const replaced =
      replacedId === null ? null : await replaceWith(tx, actor.institute_id, replacedId, submissionId);
    const run = { id: randomUUID(), attempt: 1, lane, price: quote.credits } as const;
    await insertSubmission(tx, {
      instituteId: actor.institute_id,
      submissionId,
      examId: exam.id,
      candidateId,
      run,
      intake,
      quote,
      metadata: request.metadata ?? null,
    });
    if (replacedId === null) {
      await tx
        .updateTable('exams')
        .set({ live_submissions: exam.live_submissions + 1, live_unfinalized: exam.live_unfinalized + 1 })
        .where('institute_id', '=', actor.institute_id)
        .where('id', '=', exam.id)
        .execute();
    }
    // Registrations of a candidate that was changed are touched now, not at the commit: those who hold one wait for
    // the credits, so nobody who holds the credits may wait for one.
    await sql`set constraints touch_registrations immediate`.execute(tx);
    // Read before the hottest rows are locked: it looks along the whole queue.
    const submission = await readSubmission(tx, actor.institute_id, submissionId, services.lanePace);
    await payForRun(tx, actor, { run, terms, freed: replaced });
    return { submission, stopped: replaced, price: run.price };
  });
  services.wakeDispatcher();
  await countCredits(services, 'reserved', created.price);
  await announceStop(services, created.stopped);
  return created.submission;
};

/** A create counts as the first read of its upload: it is sealed and inspected before any lock is taken (docs/architecture.md#uploads). */
export const sealCopyOf = async (services: Services, actor: Actor, body: unknown): Promise<void> => {
  const uploadId: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'upload_id') : undefined;
  if (typeof uploadId !== 'string') return;
  try {
    await sealUpload(services, actor, uploadId);
  } catch (error) {
    // What is wrong with the upload is answered below, after what is wrong with the exam.
    if (!(error instanceof DomainFailure)) throw error;
  }
};

/** What can be said of the answers of a body that is refused anyway: every problem is listed at once. */
const problemsOfAnswers = (
  parts: Parts<SubmissionCreate>,
  mode: 'handwritten' | 'typed',
  paper: readonly MarkedQuestion[],
): Problem[] =>
  mode === 'typed' && isRead(parts) && parts.answers != null
    ? checkAnswers(paper, parts.answers).problems
    : [];

/** What the fields say together: the mode, and who the candidate is. */
const checkRequest = (request: SubmissionCreate, mode: 'handwritten' | 'typed'): SubmissionCreate => {
  const wrong = mode === 'handwritten' ? request.answers : request.upload_id;
  if (wrong != null) {
    throw new DomainFailure('mode_mismatch', {
      message: mode === 'handwritten' ? 'A handwritten exam takes upload_id.' : 'A typed exam takes answers.',
    });
  }
  if ((request.candidate == null) === (request.candidate_id == null)) {
    refuseField(
      'candidate',
      request.candidate == null ? 'required' : 'not_allowed',
      'Send candidate or candidate_id, exactly one.',
    );
  }
  if (mode === 'handwritten' && request.upload_id == null)
    refuseField('upload_id', 'required', 'This field is required.');
  if (mode === 'typed' && request.answers == null)
    refuseField('answers', 'required', 'This field is required.');
  return request;
};

/** The candidate of the request, created or updated, and registered if needed. @throws DomainFailure candidate_not_found */
const takeCandidate = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  request: SubmissionCreate,
): Promise<string> => {
  const id =
    request.candidate != null
      ? (await upsertCandidates(tx, instituteId, [request.candidate]))[0]?.id
      : await findCandidate(tx, instituteId, request.candidate_id ?? '');
  if (id === undefined) throw new DomainFailure('candidate_not_found');
  await registerCandidates(tx, instituteId, examId, [id]);
  return id;
};

const findCandidate = async (tx: Tx, instituteId: string, id: string): Promise<string | undefined> => {
  if (!isUuid(id)) return undefined;
  const row = await tx
    .selectFrom('candidates')
    .select('id')
    .where('institute_id', '=', instituteId)
    .where('id', '=', id)
    // Held until the submission is there: an erasure either sees it, or is seen here.
    .where('erased_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();
  return row?.id;
};

/**
 * One live submission per candidate per exam; the exam's lock makes the look safe.
 * @returns the one that this request replaces, or null
 * @throws DomainFailure submission_exists, submission_finalized
 */
const findReplaced = async (
  tx: Tx,
  instituteId: string,
  exam: { id: string },
  candidateId: string,
  replace: boolean,
): Promise<string | null> => {
  const live = await tx
    .selectFrom('submissions')
    .select(['id', 'finalized_at'])
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', exam.id)
    .where('candidate_id', '=', candidateId)
    .where('state', '=', 'live')
    .executeTakeFirst();
  if (live === undefined) return null;
  if (!replace) throw new DomainFailure('submission_exists', { details: { submission_id: live.id } });
  // Once more under its lock; said here before anything is said of the upload or the answers.
  if (live.finalized_at !== null) throw new DomainFailure('submission_finalized');
  return live.id;
};

/** `live` → `replaced`: its grading is stopped, and a run that had not finished is not charged (docs/api/lifecycle.md#submissions). */
const replaceWith = async (
  tx: Tx,
  instituteId: string,
  replacedId: string,
  submissionId: string,
): Promise<StoppedRun | null> => {
  const { submission } = await lockRowFor(tx, instituteId, replacedId, 'replace');
  const stopped = await stopRun(tx, { institute_id: instituteId, run_id: submission.current_run_id }, null);
  await tx
    .updateTable('submissions')
    .set({
      state: 'replaced',
      replaced_by: submissionId,
      ...(stopped === null ? {} : { status: 'cancelled' }),
    })
    .where('institute_id', '=', instituteId)
    .where('id', '=', submission.id)
    .execute();
  return stopped;
};
