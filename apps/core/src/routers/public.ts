import type {
  CandidatesCreate,
  CandidateSearch,
  CandidatesRegister,
  ExamCreate,
  ExamEdit,
  ExamListQuery,
  ExamOpen,
  ExamResultsQuery,
  ExamSearch,
  ExamSubmissionsQuery,
  FeedQuery,
  QuestionEdit,
  QuestionListQuery,
  QuestionsAdd,
  RegisteredCandidateQuery,
  ReEvaluate,
  ResultQuery,
  RubricsEdit,
  SubmissionCreate,
  UploadsCreate,
} from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { authenticate } from '../account/apiKeys.ts';
import { me } from '../account/me.ts';
import { createCandidates } from '../candidates/createCandidates.ts';
import { getCandidate } from '../candidates/getCandidate.ts';
import { listRegistered } from '../candidates/listRegistered.ts';
import { registerOnExam } from '../candidates/registerOnExam.ts';
import { searchCandidates } from '../candidates/searchCandidates.ts';
import { unregister } from '../candidates/unregister.ts';
import { createExam } from '../exams/createExam.ts';
import { deleteExam } from '../exams/deleteExam.ts';
import { editExam } from '../exams/editExam.ts';
import { listExams } from '../exams/listExams.ts';
import { openExam } from '../exams/openExam.ts';
import { readExam } from '../exams/readExam.ts';
import { searchExams } from '../exams/searchExams.ts';
import { addQuestions } from '../questions/addQuestions.ts';
import { deleteQuestion } from '../questions/deleteQuestion.ts';
import { editQuestion } from '../questions/editQuestion.ts';
import { listQuestions } from '../questions/listQuestions.ts';
import { editRubrics } from '../rubrics/editRubrics.ts';
import { listRubrics } from '../rubrics/listRubrics.ts';
import { cancelSubmission } from '../submissions/cancelSubmission.ts';
import { createSubmission } from '../submissions/createSubmission.ts';
import { deleteSubmission } from '../submissions/deleteSubmission.ts';
import { feed } from '../submissions/feed.ts';
import { getCheckedCopy } from '../submissions/getCheckedCopy.ts';
import { getResult } from '../submissions/getResult.ts';
import { getSubmission } from '../submissions/getSubmission.ts';
import { listOfExam } from '../submissions/listOfExam.ts';
import { reEvaluate } from '../submissions/reEvaluate.ts';
import { resultsOfExam } from '../submissions/resultsOfExam.ts';
import { actorProcedure, router, serviceProcedure } from '../trpc.ts';
import { createUploads } from '../uploads/createUploads.ts';
import { settleUpload } from '../uploads/settleUpload.ts';

/**
 * What a client sent, typed for the caller and unchecked here on purpose: the command checks it with the one schema,
 * after existence and state (design chapter 5, order of checks). This is the documented boundary of that cast.
 */
const sent = <S extends z.ZodType>() => z.custom<z.input<S>>(() => true);

/** For the facade and internal teams: the resources of the REST contract, for a signed actor. */
export const publicRouter = router({
  authenticate: serviceProcedure
    .input(z.object({ hash: z.string().length(64) }))
    .query(({ ctx, input }) => authenticate(ctx.services, input.hash)),

  me: actorProcedure.query(({ ctx }) => me(ctx.services, ctx.actor)),

  exams: router({
    create: actorProcedure
      .input(z.object({ body: sent<typeof ExamCreate>() }))
      .mutation(({ ctx, input }) => createExam(ctx.services, ctx.actor, input.body)),
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
      .mutation(({ ctx, input }) => openExam(ctx.services, ctx.actor, input.exam_id, input.body)),
  }),

  candidates: router({
    create: actorProcedure
      .input(z.object({ body: sent<typeof CandidatesCreate>() }))
      .mutation(({ ctx, input }) => createCandidates(ctx.services, ctx.actor, input.body)),
    search: actorProcedure
      .input(z.object({ body: sent<typeof CandidateSearch>() }))
      .query(({ ctx, input }) => searchCandidates(ctx.services, ctx.actor, input.body)),
    get: actorProcedure
      .input(z.object({ candidate_id: z.string() }))
      .query(({ ctx, input }) => getCandidate(ctx.services, ctx.actor, input.candidate_id)),
    register: actorProcedure
      .input(z.object({ exam_id: z.string(), body: sent<typeof CandidatesRegister>() }))
      .mutation(({ ctx, input }) => registerOnExam(ctx.services, ctx.actor, input.exam_id, input.body)),
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
      .mutation(({ ctx, input }) => addQuestions(ctx.services, ctx.actor, input.exam_id, input.body)),
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
      .mutation(({ ctx, input }) => createUploads(ctx.services, ctx.actor, input.body)),
    // A mutation although it answers a GET: the first read seals the file.
    get: actorProcedure
      .input(z.object({ upload_id: z.string() }))
      .mutation(({ ctx, input }) => settleUpload(ctx.services, ctx.actor, input.upload_id)),
  }),

  submissions: router({
    create: actorProcedure
      .input(z.object({ exam_id: z.string(), body: sent<typeof SubmissionCreate>() }))
      .mutation(({ ctx, input }) => createSubmission(ctx.services, ctx.actor, input.exam_id, input.body)),
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
      .mutation(({ ctx, input }) => cancelSubmission(ctx.services, ctx.actor, input.submission_id)),
    delete: actorProcedure
      .input(z.object({ submission_id: z.string() }))
      .mutation(({ ctx, input }) => deleteSubmission(ctx.services, ctx.actor, input.submission_id)),
    reEvaluate: actorProcedure
      .input(z.object({ submission_id: z.string(), body: sent<typeof ReEvaluate>().optional() }))
      .mutation(({ ctx, input }) => reEvaluate(ctx.services, ctx.actor, input.submission_id, input.body)),
    result: actorProcedure
      .input(z.object({ submission_id: z.string(), query: sent<typeof ResultQuery>() }))
      .query(({ ctx, input }) => getResult(ctx.services, ctx.actor, input.submission_id, input.query)),
    resultsOfExam: actorProcedure
      .input(z.object({ exam_id: z.string(), query: sent<typeof ExamResultsQuery>() }))
      .query(({ ctx, input }) => resultsOfExam(ctx.services, ctx.actor, input.exam_id, input.query)),
    checkedCopy: actorProcedure
      .input(z.object({ submission_id: z.string() }))
      .query(({ ctx, input }) => getCheckedCopy(ctx.services, ctx.actor, input.submission_id)),
  }),
});
