import { sql } from 'kysely';
import { write, type Tx } from '@evaluation/database';
import { DomainFailure, errors, type Failure } from '@evaluation/rest-contract/errors';
import type { Actor } from '@evaluation/platform/signed-actor';
import type { Services } from '../services.ts';
import { lockKey, storeOutcome, type IdempotentRequest, type Outcome } from './records.ts';

/*
 * Runs a command with an Idempotency-Key once (docs/architecture.md#idempotency). Its outcome is stored in the
 * transaction of its effect: after a crash a repetition either finds the outcome or runs the command.
 *
 *   the key is held by a running request   ──▶ request_in_progress
 *   known, with another fingerprint        ──▶ idempotency_key_reused
 *   known, with the same fingerprint       ──▶ Replayed: the stored outcome, without running the command
 *   not known                              ──▶ the command runs. An answer is stored with its effect. A refusal is
 *                                              stored alone, and only if a repetition would be refused again.
 *
 * The lock of the key is the first lock of the lock order (docs/architecture.md#lock-order). It is freed at the end of
 * the transaction.
 */

/** Thrown if the request was answered before; `outcome` is that answer. */
export class Replayed extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super('answered before');
    this.name = 'Replayed';
    this.outcome = outcome;
  }
}

/**
 * Runs a command, at most once for a key.
 * @param command uses the services it is given: with a key they share the transaction that stores the outcome
 * @throws Replayed, DomainFailure request_in_progress, idempotency_key_reused, and what the command throws
 */
export const once = async <T>(
  { services, actor, idempotent }: { services: Services; actor: Actor; idempotent: IdempotentRequest | null },
  command: (services: Services) => Promise<T>,
): Promise<T> => {
  if (idempotent === null) return command(services);
  const instituteId = actor.institute_id;
  const effects: (() => Promise<void>)[] = [];
  const outcome = await services.database.inTenant(instituteId, async (tx): Promise<AnswerOrRefusal<T>> => {
    effects.length = 0;
    const { isLocked, known } = await lockKey(tx, instituteId, idempotent.key);
    if (!isLocked) throw new DomainFailure('request_in_progress');
    if (known !== null) {
      if (known.fingerprint !== idempotent.fingerprint) throw new DomainFailure('idempotency_key_reused');
      throw new Replayed(known.outcome);
    }
    await write(tx, sql`savepoint command`);
    const ended = await answerOrRefusal(() => command(within(services, tx, effects)));
    if ('refused' in ended) {
      await sql`rollback to savepoint command`.execute(tx);
      effects.length = 0;
    }
    await storeOutcome(
      tx,
      instituteId,
      idempotent,
      'refused' in ended ? { failure: ended.refused.failure } : { body: ended.answer },
    );
    return ended;
  });
  for (const effect of effects) await effect();
  if ('refused' in outcome) throw outcome.refused;
  return outcome.answer;
};

type AnswerOrRefusal<T> = { answer: T } | { refused: DomainFailure };

/** Returns a refusal that is stored as an outcome; rethrows every other error, which rolls back the transaction. */
const answerOrRefusal = async <T>(command: () => Promise<T>): Promise<AnswerOrRefusal<T>> => {
  try {
    return { answer: await command() };
  } catch (error) {
    if (error instanceof DomainFailure && isKept(error.failure)) return { refused: error };
    throw error;
  }
};

/** 402, 409, 429 and 5xx are not stored: a retry with the same key runs again. */
const isKept = ({ code }: Pick<Failure, 'code'>): boolean => {
  const { status } = errors[code];
  return status < 500 && ![402, 409, 429].includes(status);
};

/** Runs one `inTenant` in a savepoint: after an error the command can go on, as it can without a key. */
const part = async <T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> => {
  await write(tx, sql`savepoint part`);
  try {
    const answer = await work(tx);
    await write(tx, sql`release savepoint part`);
    return answer;
  } catch (error) {
    // If the connection is lost, the rollback fails too; the first error is the one to report.
    await sql`rollback to savepoint part`.execute(tx).catch(() => {});
    throw error;
  }
};

/** `inTenant` joins the transaction, and effects on other parts of the service wait for the commit. */
const within = (services: Services, tx: Tx, effects: (() => Promise<void>)[]): Services => ({
  ...services,
  database: { ...services.database, inTenant: (_instituteId, work) => part(tx, work) },
  afterCommit: async (effect) => {
    effects.push(effect);
  },
  wakeDispatcher: (cause) => {
    effects.push(async () => services.wakeDispatcher(cause));
  },
});
