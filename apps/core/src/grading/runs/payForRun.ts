import { send, write, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Actor } from '@evaluation/platform/signed-actor';
import { release, reserve } from '../../credits/ledger.ts';
import type { StoppedRun } from './stopRun.ts';
import { takeQueuePlace } from './takeQueuePlace.ts';
import { exceededOf, nextReset, today, type Allowance } from '../../credits/dailyCopies.ts';

export const readTerms = async (tx: Tx, actor: Actor): Promise<Terms> => {
  const [rows] = await send(tx, selectTerms(tx, actor));
  return termsOf(rows, actor);
};

/** The statement of `readTerms`. */
export const selectTerms = (tx: Tx, actor: Actor) =>
  tx
    .selectFrom('institutes')
    .leftJoin('api_keys', (join) =>
      join.onRef('api_keys.institute_id', '=', 'institutes.id').on('api_keys.id', '=', actor.key_id),
    )
    .select(['credits_per_page', 'credits_per_answer', 'daily_copy_quota', 'daily_copy_cap', today.as('day')])
    .where('institutes.id', '=', actor.institute_id);

/** @param rows of `selectTerms` */
export const termsOf = (
  [terms]: {
    credits_per_page: string | null;
    credits_per_answer: string | null;
    daily_copy_quota: number;
    daily_copy_cap: number | null;
    day: string;
  }[],
  actor: Actor,
) => {
  if (terms === undefined) throw new Error(`institute ${actor.institute_id} is missing`);
  const allowances: Allowance[] = [
    { quota: 'daily_copy_quota', counterId: actor.institute_id, limit: terms.daily_copy_quota },
    { quota: 'daily_copy_cap', counterId: actor.key_id, limit: terms.daily_copy_cap },
  ];
  return {
    credits_per_page: terms.credits_per_page,
    credits_per_answer: terms.credits_per_answer,
    day: terms.day,
    allowances,
  };
};
type Terms = ReturnType<typeof termsOf>;

/**
 * Gives an accepted run its place in the queue and reserves its credits. These are the last locks of a command. The
 * quota is counted before and reported after the credits, because 402 comes before 429.
 * @param paid.counted rows of `countCopy`
 * @param paid.waits false for a run without questions for the AI, which is over and needs no place
 * @param paid.freed the run that this run replaces; its credits are released before the new ones are reserved
 * (docs/architecture.md#credits)
 * @throws DomainFailure insufficient_credits, daily_quota_exceeded
 */
export const payForRun = async (
  tx: Tx,
  actor: Actor,
  paid: {
    run: { id: string; price: number };
    waits: boolean;
    terms: Terms;
    counted: readonly { counter_id: string }[];
    freed: StoppedRun | null;
  },
): Promise<void> => {
  const { run, waits, terms, counted, freed } = paid;
  if (waits) await write(tx, takeQueuePlace(actor.institute_id, run.id));
  if (freed !== null) await release(tx, freed, freed.price);
  await reserve(tx, { institute_id: actor.institute_id, run_id: run.id }, run.price);
  const exceeded = exceededOf(terms.allowances, counted);
  if (exceeded !== null) {
    throw new DomainFailure('daily_quota_exceeded', {
      details: { quota: exceeded.quota, limit: exceeded.limit, resets_at: nextReset(terms.day) },
    });
  }
};
