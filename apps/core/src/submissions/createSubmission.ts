import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { SubmissionCreate, type Submission, type Warning } from '@evaluation/rest-contract/schemas';
import { PAGES_BEYOND_VISION_LIMIT, priceOf, quoteFor } from '@evaluation/rules';
import type { Actor } from '@evaluation/signed-actor';
import { accept, isUuid, refuseField } from '../accept.ts';
import { registerCandidates } from '../candidates/register.ts';
import { upsertCandidates } from '../candidates/upsert.ts';
import { reserve } from '../credits/ledger.ts';
import { lockExam } from '../exams/lockExam.ts';
import { countCopy, nextReset, today, type Allowance } from '../quotas/dailyCopies.ts';
import type { Services } from '../services.ts';
import { settleUpload } from '../uploads/settleUpload.ts';
import { readSubmission } from './getSubmission.ts';
import { takeCopy } from './takeCopy.ts';
import { takeTypedAnswers, type Intake } from './takeTypedAnswers.ts';

/**
 * Accepts a copy or typed answers for grading, or changes nothing (spec 4.7, rules 1–8). Locks in the one order:
 * exam → candidates → upload → submissions → run → quotas → credits (design 3.2).
 */
export const createSubmission = async (
  services: Services,
  actor: Actor,
  examId: string,
  body: unknown,
): Promise<Submission> => {
  await inspectFirst(services, actor, body);
  const submission = await services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExam(tx, actor.institute_id, examId);
    if (exam.status !== 'open') throw new DomainFailure('exam_not_open');
    const request = checkRequest(accept(SubmissionCreate, body), exam.mode);

    const submissionId = randomUUID();
    const candidateId = await takeCandidate(tx, actor.institute_id, exam.id, request);
    // Before the upload and the answers: a request sent twice learns of its first, not that its upload is used.
    await refuseSecond(tx, exam.id, candidateId);
    const intake =
      exam.mode === 'handwritten'
        ? await takeCopy(tx, {
            instituteId: actor.institute_id,
            exam,
            submissionId,
            uploadId: request.upload_id ?? '',
          })
        : await takeTypedAnswers(tx, {
            instituteId: actor.institute_id,
            exam,
            answers: request.answers ?? [],
          });

    const institute = await readTerms(tx, actor);
    const unit = exam.mode === 'handwritten' ? 'page' : 'answer';
    const price = priceOf(unit, unit === 'page' ? institute.credits_per_page : institute.credits_per_answer);
    const quote = { unit, ...quoteFor(price, intake.units) } as const;

    const runId = randomUUID();
    await insertSubmission(tx, {
      instituteId: actor.institute_id,
      submissionId,
      examId: exam.id,
      candidateId,
      runId,
      rubricVersion: exam.rubric_version,
      intake,
      quote,
      metadata: request.metadata ?? null,
      lane: unit === 'page' ? 'copy' : 'typed',
    });
    await tx
      .updateTable('exams')
      .set({ live_submissions: exam.live_submissions + 1, live_unfinalized: exam.live_unfinalized + 1 })
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', exam.id)
      .execute();

    // Counted before the credits are locked, answered after them: 402 comes before 429 (design chapter 5).
    const { day } = institute;
    const usedUp = await countCopy(tx, actor.institute_id, day, institute.allowances);
    await reserve(tx, actor.institute_id, runId, quote.credits);
    if (usedUp !== null) {
      throw new DomainFailure('daily_quota_exceeded', {
        details: { quota: usedUp.quota, limit: usedUp.limit, resets_at: nextReset(day) },
      });
    }
    return readSubmission(tx, actor.institute_id, submissionId);
  });
  services.wakeDispatcher();
  return submission;
};

/** A create counts as the first read of its upload: it is sealed and inspected before any lock is taken. */
const inspectFirst = async (services: Services, actor: Actor, body: unknown): Promise<void> => {
  const uploadId: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'upload_id') : undefined;
  if (typeof uploadId !== 'string') return;
  try {
    await settleUpload(services, actor, uploadId);
  } catch (error) {
    // What is wrong with the upload is answered below, after what is wrong with the exam.
    if (!(error instanceof DomainFailure)) throw error;
  }
};

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
    .executeTakeFirst();
  return row?.id;
};

/** One live submission per candidate per exam; the exam's lock makes the look safe. */
const refuseSecond = async (tx: Tx, examId: string, candidateId: string): Promise<void> => {
  const live = await tx
    .selectFrom('submissions')
    .select('id')
    .where('exam_id', '=', examId)
    .where('candidate_id', '=', candidateId)
    .where('state', '=', 'live')
    .executeTakeFirst();
  if (live !== undefined)
    throw new DomainFailure('submission_exists', { details: { submission_id: live.id } });
};

/** The institute's prices and what may be submitted today. */
const readTerms = async (tx: Tx, actor: Actor) => {
  const terms = await tx
    .selectFrom('institutes')
    .leftJoin('api_keys', (join) =>
      join.onRef('api_keys.institute_id', '=', 'institutes.id').on('api_keys.id', '=', actor.key_id),
    )
    .select(['credits_per_page', 'credits_per_answer', 'daily_copy_quota', 'daily_copy_cap', today.as('day')])
    .where('institutes.id', '=', actor.institute_id)
    .executeTakeFirstOrThrow();
  const allowances: Allowance[] = [
    { quota: 'daily_copy_quota', counterId: actor.institute_id, limit: terms.daily_copy_quota },
    ...(terms.daily_copy_cap === null
      ? []
      : [{ quota: 'daily_copy_cap' as const, counterId: actor.key_id, limit: terms.daily_copy_cap }]),
  ];
  return {
    credits_per_page: terms.credits_per_page,
    credits_per_answer: terms.credits_per_answer,
    day: terms.day,
    allowances,
  };
};

const beyondVision = (intake: Intake): Warning[] =>
  intake.beyondVision
    ? [
        {
          code: PAGES_BEYOND_VISION_LIMIT,
          message: 'Pages after the 40th get a simpler text-only read; the copy is flagged for review.',
        },
      ]
    : [];

const insertSubmission = async (
  tx: Tx,
  row: {
    instituteId: string;
    submissionId: string;
    examId: string;
    candidateId: string;
    runId: string;
    rubricVersion: number;
    intake: Intake;
    quote: { unit: 'page' | 'answer'; credits: number; rate_source: string };
    metadata: Record<string, unknown> | null;
    lane: 'copy' | 'typed';
  },
): Promise<void> => {
  const { instituteId, submissionId, runId, intake } = row;
  const isOver = intake.questionsForAi === 0;
  const now = sql<Date>`clock_timestamp()`;
  // A version that is still pending has no number: what is graded meanwhile, by its key alone, was marked by none.
  const rubricVersion = isOver
    ? sql<number | null>`case when exists (select from pending_rubrics p where p.institute_id = ${instituteId}
        and p.exam_id = ${row.examId}) then null else ${row.rubricVersion}::int end`
    : null;
  await tx
    .insertInto('submissions')
    .values({
      id: submissionId,
      institute_id: instituteId,
      exam_id: row.examId,
      candidate_id: row.candidateId,
      upload_id: intake.uploadId,
      status: isOver ? 'graded' : 'queued',
      lane: row.lane,
      pages: intake.pages,
      needs_review: intake.beyondVision,
      review_reasons: intake.beyondVision ? [PAGES_BEYOND_VISION_LIMIT] : [],
      current_run_id: runId,
      rubric_version: rubricVersion,
      questions_total: intake.questionsForAi,
      quote_unit: row.quote.unit,
      quote_credits: String(row.quote.credits),
      quote_rate_source: row.quote.rate_source,
      credits_charged: isOver ? '0' : null,
      marks_revision: isOver ? 1 : 0,
      graded_at: isOver ? now : null,
      warnings: json(beyondVision(intake)),
      metadata: row.metadata === null ? null : json(row.metadata),
    })
    .execute();
  await tx
    .insertInto('runs')
    .values({
      id: runId,
      institute_id: instituteId,
      submission_id: submissionId,
      lane: row.lane,
      attempt: 1,
      status: isOver ? 'completed' : 'queued',
      price: String(row.quote.credits),
      rubric_version: rubricVersion,
      finished_at: isOver ? now : null,
    })
    .execute();
  if (intake.answers.length > 0) {
    await tx
      .insertInto('answers')
      .values(
        intake.answers.map((answer) => ({
          ...answer,
          institute_id: instituteId,
          submission_id: submissionId,
        })),
      )
      .execute();
  }
  if (intake.results.length > 0) {
    await tx
      .insertInto('question_results')
      .values(
        intake.results.map((result) => ({
          institute_id: instituteId,
          run_id: runId,
          question_id: result.question_id,
          status: result.status,
          awarded: String(result.awarded),
          max: String(result.max),
          source: result.status === 'graded' ? ('auto' as const) : null,
          review_reasons: [],
          extracted_answer: result.extracted_answer,
          criteria: json([]),
          annotations: json([]),
        })),
      )
      .execute();
  }
};
