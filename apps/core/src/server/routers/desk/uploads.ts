import type { UploadsCreate } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { once } from '../../../command/idempotency/once.ts';
import { createUploads } from '../../../files/createUploads.ts';
import { readHeadings } from '../../../files/headings.ts';
import { reviewerProcedure, router } from '../../trpc.ts';

export const deskUploadsRouter = router({
  /** As `uploads.create`, for files whose names name no candidate: the numbers on the first page are read. */
  create: reviewerProcedure
    // The command checks the body.
    .input(z.object({ body: z.custom<z.input<typeof UploadsCreate>>(() => true) }))
    .mutation(({ ctx, input }) =>
      once(ctx, (services) => createUploads(services, ctx.actor, input.body, { readsHeading: true })),
    ),
  headings: reviewerProcedure
    .input(z.object({ upload_ids: z.array(z.string().max(100)).max(500) }))
    .query(({ ctx, input }) => readHeadings(ctx.services, ctx.actor, input.upload_ids)),
});
