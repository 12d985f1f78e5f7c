import type {
  Approve,
  CandidatesCreate,
  CandidateSearch,
  CandidatesRegister,
  CreditQuoteRequest,
  ExamCreate,
  ExamEdit,
  ExamListQuery,
  ExamOpen,
  ExamResultsQuery,
  ExamSearch,
  ExamSubmissionsQuery,
  FeedQuery,
  Finalize,
  MarkOverride,
  QuestionEdit,
  QuestionListQuery,
  QuestionsAdd,
  RegisteredCandidateQuery,
  ReEvaluate,
  ResultQuery,
  RubricsEdit,
  SubmissionCreate,
  Unfinalize,
  UploadsCreate,
} from '@evaluation/rest-contract/schemas';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import * as z from 'zod/v4';
import { authenticate } from '../account/apiKeys.ts';
import { me } from '../account/me.ts';
import { createCandidates } from '../candidates/createCandidates.ts';
import { getCandidate } from '../candidates/getCandidate.ts';
import { listRegistered } from '../candidates/listRegistered.ts';
import { registerOnExam } from '../candidates/registerOnExam.ts';
import { searchCandidates } from '../candidates/searchCandidates.ts';
import { unregister } from '../candidates/unregister.ts';
import { getCredits } from '../credits/getCredits.ts';
import { quoteCredits } from '../credits/quoteCredits.ts';
import { createExam } from '../exams/createExam.ts';
import { deleteExam } from '../exams/deleteExam.ts';
import { editExam } from '../exams/editExam.ts';
import { listExams } from '../exams/listExams.ts';
import { turnAtExam } from '../locks/lockExam.ts';
import { openExam } from '../exams/openExam.ts';
import { readExam } from '../exams/readExam.ts';
import { searchExams } from '../exams/searchExams.ts';
import { once } from '../idempotency/once.ts';
import { approveSubmission } from '../review/approveSubmission.ts';
import { finalizeExam } from '../review/finalizeExam.ts';
import { overrideMark } from '../review/overrideMark.ts';
import { unfinalizeSubmission } from '../review/unfinalizeSubmission.ts';
import { addQuestions } from '../questions/addQuestions.ts';
import { deleteQuestion } from '../questions/deleteQuestion.ts';
import { editQuestion } from '../questions/editQuestion.ts';
import { listQuestions } from '../questions/listQuestions.ts';
import { editRubrics } from '../rubrics/editRubrics.ts';
import { listRubrics } from '../rubrics/listRubrics.ts';
import { cancelSubmission } from '../submissions/cancelSubmission.ts';
import { createSubmission, settleCopyOf } from '../submissions/createSubmission.ts';
import { deleteSubmission } from '../submissions/deleteSubmission.ts';
import { feed } from '../submissions/feed.ts';
import { getCheckedCopy } from '../checkedCopies/getCheckedCopy.ts';
import { getResult } from '../submissions/getResult.ts';
import { getSubmission } from '../submissions/getSubmission.ts';
import { listOfExam } from '../submissions/listOfExam.ts';
import { reEvaluate } from '../review/reEvaluate.ts';
import { resultsOfExam } from '../submissions/resultsOfExam.ts';
import { actorProcedure, router, serviceProcedure } from '../trpc.ts';
import { createUploads } from '../uploads/createUploads.ts';
import { settleUpload } from '../uploads/settleUpload.ts';

/**
 * What a client sent, typed for the caller and unchecked here on purpose: the command checks it with the one schema,
 * after existence and state (design chapter 5, order of checks). This is the documented boundary of that cast.
 */
const sent = <S extends z.ZodType>() => z.custom<z.input<S>>(() => true);

/** A request that the facade refuses by itself; with a key, its repetition is refused the same way (design 3.3). */
const Refused = z.object({
  code: z.enum(['unsupported_media_type', 'malformed_json']),
});

/** For the facade and internal teams: the resources of the REST contract, for a signed actor. */
export const publicRouter = router({
  authenticate: serviceProcedure
    .input(z.object({ hash: z.string().length(64) }))
    .query(({ ctx, input }) => authenticate(ctx.services, input.hash)),

  refuse: actorProcedure.input(Refused).mutation(({ ctx, input }) =>
    once(ctx, async () => {
      throw new DomainFailure(input.code);
    }),
  ),

  me: actorProcedure.query(({ ctx }) => me(ctx.services, ctx.actor)),

  credits: router({
    get: actorProcedure.query(({ ctx }) => getCredits(ctx.services, ctx.actor)),
    // A mutation although it only looks things up: the first read of an upload seals its file.
    quote: actorProcedure
      .input(z.object({ body: sent<typeof CreditQuoteRequest>() }))
      .mutation(({ ctx, input }) => quoteCredits(ctx.services, ctx.actor, input.body)),
  }),

  exams: router({
    create: actorProcedure
      .input(z.object({ body: sent<typeof ExamCreate>() }))
      .mutation(({ ctx, input }) => once(ctx, (services) => createExam(services, ctx.actor, input.body))),
    get: actorProcedure.input(z.object({ exam_id: z.string() })).query(({ ctx, input }) =>
      ctx.services.database.inTenant(ctx.actor.institute_id, (tx) =>
        readExam(tx, ctx.actor.institute_id, input.exam_id, {
          dashboardUrl: ctx.services.settings.dashboardUrl,
        }),
      ),
    ),
    list: actorProcedure
      .input(z.object({ query: sent<typeof ExamListQuery>() }))
      .query(({ ctx, input }) => listExams(ctx.services, ctx.actor, input.query)),
    search: actorProcedure
      .input(z.object({ body: sent<typeof ExamSearch>() }))
      .query(({ ctx, input }) => searchExams(ctx.services, ctx.actor, input.body)),
    edit: actorProcedure
      .input(z.object({ exam_id: z.string(), body: sent<typeof ExamEdit>() }))
      .mutation(({ ctx, input }) => editExam(ctx.services, ctx.actor, input.exam_id, input.body)),
    delete: actorProcedure
      .input(z.object({ exam_id: z.string() }))
      .mutation(({ ctx, input }) => deleteExam(ctx.services, ctx.actor, input.exam_id)),
    open: actorProcedure
      .input(z.object({ exam_id: z.string(), body: sent<typeof ExamOpen>().optional() }))
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => openExam(services, ctx.actor, input.exam_id, input.body)),
      ),
    finalize: actorProcedure
      .input(z.object({ exam_id: z.string(), body: sent<typeof Finalize>() }))
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => finalizeExam(services, ctx.actor, input.exam_id, input.body)),
      ),
  }),

  candidates: router({
    create: actorProcedure
      .input(z.object({ body: sent<typeof CandidatesCreate>() }))
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => createCandidates(services, ctx.actor, input.body)),
      ),
    search: actorProcedure
      .input(z.object({ body: sent<typeof CandidateSearch>() }))
      .query(({ ctx, input }) => searchCandidates(ctx.services, ctx.actor, input.body)),
    get: actorProcedure
      .input(z.object({ candidate_id: z.string() }))
      .query(({ ctx, input }) => getCandidate(ctx.services, ctx.actor, input.candidate_id)),
    register: actorProcedure
      .input(z.object({ exam_id: z.string(), body: sent<typeof CandidatesRegister>() }))
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => registerOnExam(services, ctx.actor, input.exam_id, input.body)),
      ),
    listRegistered: actorProcedure
      .input(z.object({ exam_id: z.string(), query: sent<typeof RegisteredCandidateQuery>() }))
      .query(({ ctx, input }) => listRegistered(ctx.services, ctx.actor, input.exam_id, input.query)),
    unregister: actorProcedure
      .input(z.object({ exam_id: z.string(), candidate_id: z.string() }))
      .mutation(({ ctx, input }) => unregister(ctx.services, ctx.actor, input.exam_id, input.candidate_id)),
  }),

  questions: router({
    list: actorProcedure
      .input(z.object({ exam_id: z.string(), query: sent<typeof QuestionListQuery>() }))
      .query(({ ctx, input }) => listQuestions(ctx.services, ctx.actor, input.exam_id, input.query)),
    add: actorProcedure
      .input(z.object({ exam_id: z.string(), body: sent<typeof QuestionsAdd>() }))
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => addQuestions(services, ctx.actor, input.exam_id, input.body)),
      ),
    edit: actorProcedure
      .input(z.object({ exam_id: z.string(), question_id: z.string(), body: sent<typeof QuestionEdit>() }))
      .mutation(({ ctx, input }) =>
        editQuestion(ctx.services, ctx.actor, input.exam_id, input.question_id, input.body),
      ),
    delete: actorProcedure
      .input(z.object({ exam_id: z.string(), question_id: z.string() }))
      .mutation(({ ctx, input }) =>
        deleteQuestion(ctx.services, ctx.actor, input.exam_id, input.question_id),
      ),
  }),

  rubrics: router({
    list: actorProcedure
      .input(z.object({ exam_id: z.string() }))
      .query(({ ctx, input }) => listRubrics(ctx.services, ctx.actor, input.exam_id)),
    edit: actorProcedure
      .input(
        z.object({
          exam_id: z.string(),
          if_match: z.string().optional(),
          body: sent<typeof RubricsEdit>(),
        }),
      )
      .mutation(({ ctx, input }) =>
        editRubrics(ctx.services, ctx.actor, input.exam_id, input.if_match, input.body),
      ),
  }),

  uploads: router({
    create: actorProcedure
      .input(z.object({ body: sent<typeof UploadsCreate>() }))
      .mutation(({ ctx, input }) => once(ctx, (services) => createUploads(services, ctx.actor, input.body))),
    // A mutation although it answers a GET: the first read seals the file.
    get: actorProcedure
      .input(z.object({ upload_id: z.string() }))
      .mutation(({ ctx, input }) => settleUpload(ctx.services, ctx.actor, input.upload_id)),
  }),

  submissions: router({
    create: actorProcedure
      .input(z.object({ exam_id: z.string(), body: sent<typeof SubmissionCreate>() }))
      .mutation(async ({ ctx, input }) => {
        // Before the one transaction of the command: an inspection is waited for, and others must see it begin.
        await settleCopyOf(ctx.services, ctx.actor, input.body);
        return once(
          ctx,
          (services) => createSubmission(services, ctx.actor, input.exam_id, input.body),
          turnAtExam(ctx.actor.institute_id, input.exam_id),
        );
      }),
    feed: actorProcedure
      .input(z.object({ query: sent<typeof FeedQuery>() }))
      .query(({ ctx, input }) => feed(ctx.services, ctx.actor, input.query)),
    get: actorProcedure
      .input(z.object({ submission_id: z.string() }))
      .query(({ ctx, input }) => getSubmission(ctx.services, ctx.actor, input.submission_id)),
    listOfExam: actorProcedure
      .input(z.object({ exam_id: z.string(), query: sent<typeof ExamSubmissionsQuery>() }))
      .query(({ ctx, input }) => listOfExam(ctx.services, ctx.actor, input.exam_id, input.query)),
    cancel: actorProcedure
      .input(z.object({ submission_id: z.string() }))
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => cancelSubmission(services, ctx.actor, input.submission_id)),
      ),
    delete: actorProcedure
      .input(z.object({ submission_id: z.string() }))
      .mutation(({ ctx, input }) => deleteSubmission(ctx.services, ctx.actor, input.submission_id)),
    reEvaluate: actorProcedure
      .input(z.object({ submission_id: z.string(), body: sent<typeof ReEvaluate>().optional() }))
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => reEvaluate(services, ctx.actor, input.submission_id, input.body)),
      ),
    result: actorProcedure
      .input(z.object({ submission_id: z.string(), query: sent<typeof ResultQuery>() }))
      .query(({ ctx, input }) => getResult(ctx.services, ctx.actor, input.submission_id, input.query)),
    override: actorProcedure
      .input(
        z.object({ submission_id: z.string(), question_id: z.string(), body: sent<typeof MarkOverride>() }),
      )
      .mutation(({ ctx, input }) =>
        overrideMark(ctx.services, ctx.actor, input.submission_id, input.question_id, input.body),
      ),
    approve: actorProcedure
      .input(z.object({ submission_id: z.string(), body: sent<typeof Approve>().optional() }))
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => approveSubmission(services, ctx.actor, input.submission_id, input.body)),
      ),
    unfinalize: actorProcedure
      .input(z.object({ submission_id: z.string(), body: sent<typeof Unfinalize>() }))
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => unfinalizeSubmission(services, ctx.actor, input.submission_id, input.body)),
      ),
    resultsOfExam: actorProcedure
      .input(z.object({ exam_id: z.string(), query: sent<typeof ExamResultsQuery>() }))
      .query(({ ctx, input }) => resultsOfExam(ctx.services, ctx.actor, input.exam_id, input.query)),
    checkedCopy: actorProcedure
      .input(z.object({ submission_id: z.string() }))
      .query(({ ctx, input }) => getCheckedCopy(ctx.services, ctx.actor, input.submission_id)),
  }),
});
