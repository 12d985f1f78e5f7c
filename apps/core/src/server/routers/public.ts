import type * as schemas from '@evaluation/rest-contract/schemas';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import * as z from 'zod/v4';
import { authenticate } from '../../people/institutes/apiKeys.ts';
import { me } from '../../people/institutes/me.ts';
import { createCandidates } from '../../exams/candidates/createCandidates.ts';
import { getCandidate } from '../../exams/candidates/getCandidate.ts';
import { listRegistered } from '../../exams/candidates/listRegistered.ts';
import { registerOnExam } from '../../exams/candidates/registerOnExam.ts';
import { searchCandidates } from '../../exams/candidates/searchCandidates.ts';
import { unregister } from '../../exams/candidates/unregister.ts';
import { getCredits } from '../../credits/getCredits.ts';
import { quoteCredits } from '../../submissions/quoteCredits.ts';
import { createExam } from '../../exams/createExam.ts';
import { deleteExam } from '../../exams/deleteExam.ts';
import { editExam } from '../../exams/editExam.ts';
import { listExams } from '../../exams/listExams.ts';
import { openExam } from '../../exams/openExam.ts';
import { readExam } from '../../exams/readExam.ts';
import { searchExams } from '../../exams/searchExams.ts';
import { once } from '../../command/idempotency/once.ts';
import { approveSubmission } from '../../marking/review/approveSubmission.ts';
import { finalizeExam } from '../../marking/review/finalizeExam.ts';
import { MarkDetails } from '../../marking/review/markDetails.ts';
import { overrideMark } from '../../marking/review/overrideMark.ts';
import { withoutAnswer } from '../../marking/review/readQuestionResult.ts';
import { refuseUnseenMark, requireOfStaff, SeenMark } from '../../marking/review/seenMark.ts';
import { unfinalizeSubmission } from '../../marking/review/unfinalizeSubmission.ts';
import { addQuestions } from '../../exams/questions/addQuestions.ts';
import { deleteQuestion } from '../../exams/questions/deleteQuestion.ts';
import { editQuestion } from '../../exams/questions/editQuestion.ts';
import { listQuestions } from '../../exams/questions/listQuestions.ts';
import { editRubrics } from '../../exams/rubrics/editRubrics.ts';
import { listRubrics } from '../../exams/rubrics/listRubrics.ts';
import { cancelSubmission } from '../../submissions/cancelSubmission.ts';
import { createSubmission, sealCopyOf } from '../../submissions/createSubmission.ts';
import { deleteSubmission } from '../../submissions/deleteSubmission.ts';
import { feed } from '../../submissions/feed.ts';
import { getCheckedCopy } from '../../files/getCheckedCopy.ts';
import { getResult } from '../../submissions/getResult.ts';
import { getSubmission } from '../../submissions/getSubmission.ts';
import { listOfExam } from '../../submissions/listOfExam.ts';
import { reEvaluate } from '../../marking/review/reEvaluate.ts';
import { resultsOfExam } from '../../submissions/resultsOfExam.ts';
import { actorProcedure, router, serviceProcedure } from '../trpc.ts';
import { deskRouter } from './desk/index.ts';
import { guideRouter } from './guide.ts';
import { createUploads } from '../../files/createUploads.ts';
import { sealUpload } from '../../files/sealUpload.ts';
import { markingRouter } from './marking.ts';
import { regradeRouter } from './regrade.ts';

/** Typed for the caller but not validated here: the command validates it after it has checked existence and state. */
const sent = <S extends z.ZodType>() => z.custom<z.input<S>>(() => true);
const query = <S extends z.ZodType>() => z.object({ query: sent<S>() });
const body = <S extends z.ZodType>() => z.object({ body: sent<S>() });

const ofExam = actorProcedure.input(z.object({ exam_id: z.string() }));
const ofSubmission = actorProcedure.input(z.object({ submission_id: z.string() }));
const candidate = z.object({ candidate_id: z.string() });
const question = z.object({ question_id: z.string() });

/** A request that the facade refuses itself. With an idempotency key, its repetition gets the same refusal. */
const Refused = z.object({
  code: z.enum(['unsupported_media_type', 'malformed_json']),
});

/**
 * Resources of the REST contract, for a signed actor. The facade calls the procedure with the name of the contract's
 * route: a query for GET, a mutation for any other method.
 */
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
    quote: actorProcedure
      .input(body<typeof schemas.CreditQuoteRequest>())
      .mutation(({ ctx, input }) => quoteCredits(ctx.services, ctx.actor, input.body)),
  }),

  exams: router({
    create: actorProcedure
      .input(body<typeof schemas.ExamCreate>())
      .mutation(({ ctx, input }) => once(ctx, (services) => createExam(services, ctx.actor, input.body))),
    get: ofExam.query(({ ctx, input }) =>
      ctx.services.database.inTenant(ctx.actor.institute_id, (tx) =>
        readExam(tx, ctx.actor, input.exam_id, {
          dashboardUrl: ctx.services.settings.dashboardUrl,
        }),
      ),
    ),
    list: actorProcedure
      .input(query<typeof schemas.ExamListQuery>())
      .query(({ ctx, input }) => listExams(ctx.services, ctx.actor, input.query)),
    search: actorProcedure
      .input(body<typeof schemas.ExamSearch>())
      .mutation(({ ctx, input }) => searchExams(ctx.services, ctx.actor, input.body)),
    edit: ofExam
      .input(body<typeof schemas.ExamEdit>())
      .mutation(({ ctx, input }) => editExam(ctx.services, ctx.actor, input.exam_id, input.body)),
    delete: ofExam.mutation(({ ctx, input }) => deleteExam(ctx.services, ctx.actor, input.exam_id)),
    open: ofExam
      .input(body<z.ZodOptional<typeof schemas.ExamOpen>>())
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => openExam(services, ctx.actor, input.exam_id, input.body)),
      ),
    finalize: ofExam
      .input(body<typeof schemas.Finalize>())
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => finalizeExam(services, ctx.actor, input.exam_id, input.body)),
      ),
  }),

  candidates: router({
    create: actorProcedure
      .input(body<typeof schemas.CandidatesCreate>())
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => createCandidates(services, ctx.actor, input.body)),
      ),
    search: actorProcedure
      .input(body<typeof schemas.CandidateSearch>())
      .mutation(({ ctx, input }) => searchCandidates(ctx.services, ctx.actor, input.body)),
    get: actorProcedure
      .input(candidate)
      .query(({ ctx, input }) => getCandidate(ctx.services, ctx.actor, input.candidate_id)),
    register: ofExam
      .input(body<typeof schemas.CandidatesRegister>())
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => registerOnExam(services, ctx.actor, input.exam_id, input.body)),
      ),
    listRegistered: ofExam
      .input(query<typeof schemas.RegisteredCandidateQuery>())
      .query(({ ctx, input }) => listRegistered(ctx.services, ctx.actor, input.exam_id, input.query)),
    unregister: ofExam
      .input(candidate)
      .mutation(({ ctx, input }) => unregister(ctx.services, ctx.actor, input.exam_id, input.candidate_id)),
  }),

  questions: router({
    list: ofExam
      .input(query<typeof schemas.QuestionListQuery>())
      .query(({ ctx, input }) => listQuestions(ctx.services, ctx.actor, input.exam_id, input.query)),
    add: ofExam
      .input(body<typeof schemas.QuestionsAdd>())
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => addQuestions(services, ctx.actor, input.exam_id, input.body)),
      ),
    edit: ofExam
      .input(question)
      .input(body<typeof schemas.QuestionEdit>())
      .mutation(({ ctx, input }) =>
        editQuestion(ctx.services, ctx.actor, input.exam_id, input.question_id, input.body),
      ),
    delete: ofExam
      .input(question)
      .mutation(({ ctx, input }) =>
        deleteQuestion(ctx.services, ctx.actor, input.exam_id, input.question_id),
      ),
  }),

  rubrics: router({
    list: ofExam.query(({ ctx, input }) => listRubrics(ctx.services, ctx.actor, input.exam_id)),
    edit: ofExam
      .input(z.object({ if_match: z.string().optional() }))
      .input(body<typeof schemas.RubricsEdit>())
      .mutation(({ ctx, input }) =>
        editRubrics(ctx.services, ctx.actor, input.exam_id, input.if_match, input.body),
      ),
  }),

  uploads: router({
    create: actorProcedure
      .input(body<typeof schemas.UploadsCreate>())
      .mutation(({ ctx, input }) => once(ctx, (services) => createUploads(services, ctx.actor, input.body))),
    get: actorProcedure
      .input(z.object({ upload_id: z.string() }))
      .query(({ ctx, input }) => sealUpload(ctx.services, ctx.actor, input.upload_id)),
  }),

  submissions: router({
    create: ofExam.input(body<typeof schemas.SubmissionCreate>()).mutation(async ({ ctx, input }) => {
      // Outside the transaction of the command: sealing commits the upload and waits while a worker records its
      // inspection.
      await sealCopyOf(ctx.services, ctx.actor, input.body);
      return once(ctx, (services) => createSubmission(services, ctx.actor, input.exam_id, input.body));
    }),
    feed: actorProcedure
      .input(query<typeof schemas.FeedQuery>())
      .query(({ ctx, input }) => feed(ctx.services, ctx.actor, input.query)),
    get: ofSubmission.query(({ ctx, input }) => getSubmission(ctx.services, ctx.actor, input.submission_id)),
    listOfExam: ofExam
      .input(query<typeof schemas.ExamSubmissionsQuery>())
      .query(({ ctx, input }) => listOfExam(ctx.services, ctx.actor, input.exam_id, input.query)),
    cancel: ofSubmission.mutation(({ ctx, input }) =>
      once(ctx, (services) => cancelSubmission(services, ctx.actor, input.submission_id)),
    ),
    delete: ofSubmission.mutation(({ ctx, input }) =>
      deleteSubmission(ctx.services, ctx.actor, input.submission_id),
    ),
    reEvaluate: ofSubmission
      .input(body<z.ZodOptional<typeof schemas.ReEvaluate>>())
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => reEvaluate(services, ctx.actor, input.submission_id, input.body)),
      ),
    result: ofSubmission
      .input(query<typeof schemas.ResultQuery>())
      .query(({ ctx, input }) => getResult(ctx.services, ctx.actor, input.submission_id, input.query)),
    override: ofSubmission
      .input(question)
      .input(body<typeof schemas.MarkOverride>())
      // `seen` is required of staff. The facade sends only the body, and no idempotency key.
      .input(z.object({ seen: SeenMark.optional(), details: MarkDetails.optional() }))
      .mutation(({ ctx, input: { submission_id, question_id, body: given, seen, details } }) =>
        once(ctx, async (services) => {
          const marked = await overrideMark(services, ctx.actor, submission_id, question_id, given, {
            details,
            check: async (tx, at) => {
              requireOfStaff(ctx.actor, 'seen', seen);
              if (seen !== undefined) await refuseUnseenMark(tx, ctx.actor, at, seen);
            },
          });
          return ctx.idempotent === null ? marked : withoutAnswer(marked);
        }),
      ),
    approve: ofSubmission
      .input(body<z.ZodOptional<typeof schemas.Approve>>())
      .input(z.object({ seen_marks_revision: z.int().optional() }))
      .mutation(({ ctx, input }) =>
        once(ctx, (services) =>
          approveSubmission(services, ctx.actor, input.submission_id, input.body, input.seen_marks_revision),
        ),
      ),
    unfinalize: ofSubmission
      .input(body<typeof schemas.Unfinalize>())
      .mutation(({ ctx, input }) =>
        once(ctx, (services) => unfinalizeSubmission(services, ctx.actor, input.submission_id, input.body)),
      ),
    resultsOfExam: ofExam
      .input(query<typeof schemas.ExamResultsQuery>())
      .query(({ ctx, input }) => resultsOfExam(ctx.services, ctx.actor, input.exam_id, input.query)),
    checkedCopy: ofSubmission.query(({ ctx, input }) =>
      getCheckedCopy(ctx.services, ctx.actor, input.submission_id),
    ),
  }),

  desk: deskRouter,
  guide: guideRouter,
  marking: markingRouter,
  regrade: regradeRouter,
});
export type PublicRouter = typeof publicRouter;
