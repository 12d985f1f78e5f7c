import type { MarkedQuestion } from '@evaluation/rules/grading-model';
import { sql } from 'kysely';
import { reusePlans, send, write, type Tx } from '@evaluation/database';
import { runLanes } from '@evaluation/jobs-contract';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Problem } from '@evaluation/rest-contract/field-errors';
import { SubmissionCreate, type Submission } from '@evaluation/rest-contract/schemas';
import { isRead, MAX_AMOUNT, priceOf, quoteFor, type Parts } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept, refuseField } from '../command/accept.ts';
import { audit } from '../command/audit.ts';
import { countCopy } from '../credits/dailyCopies.ts';
import { insufficientCredits } from '../credits/ledger.ts';
import { examLock, existingExam, refuseChange, type LockedExam } from '../command/locks/lockExam.ts';
import { newId } from '../command/newId.ts';
import { announceStop, stopRun, type StoppedRun } from '../grading/runs/stopRun.ts';
import type { Services } from '../command/services.ts';
import { sealUpload } from '../files/sealUpload.ts';
import { submissionById } from './getSubmission.ts';
import { insertSubmission } from './insertSubmission.ts';
import { countCredits } from '../command/metrics.ts';
import { lockRowFor } from '../command/locks/lockSubmission.ts';
import { selectTypedPaper, typedPaperOf } from '../exams/paper/paper.ts';
import { payForRun, selectTerms, termsOf } from '../grading/runs/payForRun.ts';
import { isFreeCopy } from './sampleCopies.ts';
import { placesInLane, stepAlongIndexes } from './queuePlaces.ts';
import { representation } from './representation.ts';
import { takeCandidate, type TakenCandidate } from './takeCandidate.ts';
import { takeCopy } from './takeCopy.ts';
import { checkAnswers, takeTypedAnswers } from './takeTypedAnswers.ts';

/** Locks: exam → candidates → upload → submissions → run → registrations → quotas → place → credits. */
export const createSubmission = async (
  services: Services,
  actor: Actor,
  examId: string,
  body: unknown,
): Promise<Submission> => {
  const created = await services.database.inTenant(actor.institute_id, async (tx) => {
    await reusePlans(tx);
    const [locked, foundTerms, questions] = await send(
      tx,
      examLock(tx, actor, examId),
      selectTerms(tx, actor),
      selectTypedPaper(actor.institute_id, examId),
    );
    const exam = existingExam(locked);
    refuseChange(exam, 'submit');
    const terms = termsOf(foundTerms, actor);
    const paper = typedPaperOf(questions);
    const request = checkRequest(
      accept(SubmissionCreate, body, (parts) => problemsOfAnswers(parts, exam.mode, paper)),
      exam.mode,
    );

    const submissionId = newId();
    const candidate = await takeCandidate(tx, actor.institute_id, exam.id, request);
    // Checked before the upload and the answers: a repeated request must report its first submission, and not a used
    // upload.
    const replacedId = replacedBy(candidate, request.replace === true);
    const intake =
      exam.mode === 'handwritten'
        ? await takeCopy(tx, {
            instituteId: actor.institute_id,
            exam,
            submissionId,
            uploadId: request.upload_id ?? '',
          })
        : takeTypedAnswers(paper, request.answers ?? []);

    const lane = exam.mode === 'handwritten' ? 'copy' : 'typed';
    const unit = runLanes[lane].grades === 'pages' ? 'page' : 'answer';
    const isFree = await isFreeCopy(tx, { instituteId: actor.institute_id, isSample: exam.is_sample });
    const contract = unit === 'page' ? terms.credits_per_page : terms.credits_per_answer;
    const price = priceOf(unit, isFree ? '0' : contract);
    const quote = { unit, ...quoteFor(price, intake.units) } as const;
    // Such a price predates MAX_PRICE; no balance covers it, and it exceeds the column.
    if (quote.credits > MAX_AMOUNT) throw await insufficientCredits(tx, actor.institute_id, quote.credits);

    const replaced =
      replacedId === null ? null : await replaceWith(tx, actor.institute_id, replacedId, submissionId);
    const run = { id: newId(), attempt: 1, lane, price: quote.credits } as const;
    const waits = intake.questionsForAi > 0;
    await insertSubmission(tx, {
      instituteId: actor.institute_id,
      submissionId,
      examId: exam.id,
      candidateId: candidate.id,
      run,
      intake,
      quote,
      metadata: request.metadata ?? null,
    });
    if (replacedId === null) await countLive(tx, actor.institute_id, exam);
    await audit(tx, actor, [
      {
        action: replacedId === null ? 'submission_create' : 'submission_replace',
        exam_id: exam.id,
        submission_id: submissionId,
        ...(replacedId === null ? {} : { before: { submission_id: replacedId } }),
      },
    ]);
    // Registrations of a changed candidate are updated now and not at the commit: transactions that hold a registration
    // wait for the credits, so a transaction that holds the credits must not wait for a registration.
    await write(tx, sql`set constraints touch_registrations immediate`);
    // Read before the most contended rows are locked.
    if (waits) await stepAlongIndexes(tx);
    const [[row], [place], counted] = await send(
      tx,
      submissionById(actor, submissionId),
      placesInLane(actor.institute_id, lane, waits ? [run.id] : []),
      countCopy(actor.institute_id, terms),
    );
    if (row === undefined) throw new Error(`submission ${submissionId} is missing after its insert`);
    const submission = representation(row, place?.ahead ?? null, services.lanePace);
    await payForRun(tx, actor, { run, waits, terms, counted, freed: replaced });
    return { submission, stopped: replaced, price: run.price };
  });
  // A submission that was marked by key alone has no waiting run.
  if (created.submission.status === 'queued') services.wakeDispatcher(created.submission.lane);
  await countCredits(services, 'reserved', created.price);
  await announceStop(services, created.stopped);
  return created.submission;
};

/** Seals the upload before any lock is taken, because a create may be the first read of its upload. */
export const sealCopyOf = async (services: Services, actor: Actor, body: unknown): Promise<void> => {
  const uploadId: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'upload_id') : undefined;
  if (typeof uploadId !== 'string') return;
  if (services.inspections.hasEnded({ institute_id: actor.institute_id, upload_id: uploadId })) return;
  try {
    await sealUpload(services, actor, uploadId);
  } catch (error) {
    // `takeCopy` reports problems of the upload later, after those of the exam.
    if (!(error instanceof DomainFailure)) throw error;
  }
};

/** Reports problems of the answers for a body that is refused anyway, so that all problems are listed. */
const problemsOfAnswers = (
  parts: Parts<SubmissionCreate>,
  mode: 'handwritten' | 'typed',
  paper: readonly MarkedQuestion[],
): Problem[] =>
  mode === 'typed' && isRead(parts) && parts.answers != null
    ? checkAnswers(paper, parts.answers).problems
    : [];

/** Checks the rules that tie fields together: the mode, and exactly one form of the candidate. */
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

/**
 * @returns the submission to replace, or null
 * @throws DomainFailure submission_exists, submission_finalized
 */
const replacedBy = ({ live }: TakenCandidate, replaces: boolean): string | null => {
  if (live === null) return null;
  if (!replaces) throw new DomainFailure('submission_exists', { details: { submission_id: live.id } });
  // Checked again under the submission's lock; checked here because it comes before problems of upload and answers.
  if (live.isFinalized) throw new DomainFailure('submission_finalized');
  return live.id;
};

const countLive = (tx: Tx, instituteId: string, exam: LockedExam): Promise<void> =>
  write(
    tx,
    tx
      .updateTable('exams')
      .set({ live_submissions: exam.live_submissions + 1, live_unfinalized: exam.live_unfinalized + 1 })
      .where('institute_id', '=', instituteId)
      .where('id', '=', exam.id),
  );

/** Marks a submission as `replaced` and stops its run; an unfinished run is not charged. */
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
