import type {
  ExamCreate,
  FeedQuery,
  ResultQuery,
  SubmissionCreate,
  UploadsCreate,
} from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { authenticate } from '../account/apiKeys.ts';
import { me } from '../account/me.ts';
import { createExam } from '../exams/createExam.ts';
import { openExam } from '../exams/openExam.ts';
import { readExam } from '../exams/readExam.ts';
import { createSubmission } from '../submissions/createSubmission.ts';
import { feed } from '../submissions/feed.ts';
import { getCheckedCopy } from '../submissions/getCheckedCopy.ts';
import { getResult } from '../submissions/getResult.ts';
import { getSubmission } from '../submissions/getSubmission.ts';
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
    open: actorProcedure
      .input(z.object({ exam_id: z.string() }))
      .mutation(({ ctx, input }) => openExam(ctx.services, ctx.actor, input.exam_id)),
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
    result: actorProcedure
      .input(z.object({ submission_id: z.string(), query: sent<typeof ResultQuery>() }))
      .query(({ ctx, input }) => getResult(ctx.services, ctx.actor, input.submission_id, input.query)),
    checkedCopy: actorProcedure
      .input(z.object({ submission_id: z.string() }))
      .query(({ ctx, input }) => getCheckedCopy(ctx.services, ctx.actor, input.submission_id)),
  }),
});
