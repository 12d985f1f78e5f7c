import { givenTime } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { isUuid } from '../../../command/accept.ts';
import { listKeys } from '../../../people/institutes/listKeys.ts';
import { createKey, editKey, KeyCreate, KeyEdit, revokeKey } from '../../../people/institutes/manageKeys.ts';
import { failure } from '../../../command/failures.ts';
import { provenProcedure, router, staffProcedure } from '../../trpc.ts';

const keyId = z.string().max(100);

/** A malformed id is answered like a missing one. */
const existing = (id: string): string => {
  if (!isUuid(id)) throw failure('no_such_key');
  return id;
};

/**
 * API keys of the institute. The operator alone chooses the tier of rate limits. `create` is not repeatable by an
 * idempotency key, because its stored outcome would hold the key.
 */
export const deskKeysRouter = router({
  list: staffProcedure
    .input(
      z.object({
        limit: z.int().gte(1).lte(200).default(50),
        before: z.object({ created_at: givenTime, id: z.uuid() }).optional(),
        /** Keys in force that this member of staff made. */
        made_by: z.uuid().optional(),
      }),
    )
    .query(({ ctx, input }) => listKeys(ctx.services, ctx.actor.institute_id, input)),
  create: provenProcedure
    .input(KeyCreate.pick({ scopes: true, daily_copy_cap: true, expires_at: true }))
    .mutation(({ ctx, input }) => createKey(ctx.services, ctx.actor, { ...input, rate_tier: 'standard' })),
  edit: provenProcedure
    .input(KeyEdit.pick({ scopes: true, daily_copy_cap: true, expires_at: true }).extend({ key_id: keyId }))
    .mutation(({ ctx, input }) =>
      editKey(ctx.services, ctx.actor, { ...input, key_id: existing(input.key_id) }),
    ),
  revoke: staffProcedure
    .input(z.object({ key_id: keyId }))
    .mutation(({ ctx, input }) => revokeKey(ctx.services, ctx.actor, existing(input.key_id))),
});
