import { createHash } from 'node:crypto';
import { networkOf } from '@evaluation/platform/client-limits';
import type { Services } from '../command/services.ts';

/*
 * Throttle of sign-ins (docs/desk/people.md#throttle). One counter for the e-mail address and one for the network of
 * the browser, each in a fixed window that begins with its first attempt. An attempt is counted before its password is
 * compared, or before the provider is asked, so that parallel attempts cannot exceed the limit; a successful one is
 * taken back. State: rows in PostgreSQL, shared by all replicas of core. A crash between count and take-back costs one
 * attempt.
 */

const WINDOW_SECONDS = 15 * 60;
const MOST_OF_EMAIL = 10;
const MOST_OF_NETWORK = 100;

interface Attempt {
  /** Folded e-mail address, whether or not it has an account; null while the provider has not sent it. */
  email: string | null;
  /** Network address of the browser. */
  address: string;
}

/** Counts an attempt. @returns seconds until the next attempt is allowed; null if this attempt is allowed */
export const countAttempt = async ({ database }: Services, attempt: Attempt): Promise<number | null> => {
  const limits = limitsOf(attempt);
  // In the order of the keys, so that two attempts cannot wait for each other.
  const rows = await database.control.$queryRaw<{ key: string; attempts: number; seconds: number }[]>`
    insert into sign_in_attempts as a (key, attempts, expires_at)
    select key, 1, clock_timestamp() + make_interval(secs => ${WINDOW_SECONDS})
    from unnest(${[...limits.keys()].toSorted()}::text[]) as k (key) order by key
    on conflict (key) do update set
      attempts = case when a.expires_at <= clock_timestamp() then 1 else least(a.attempts + 1, 1000000) end,
      expires_at = case when a.expires_at <= clock_timestamp() then excluded.expires_at else a.expires_at end
    returning key, attempts, ceil(extract(epoch from expires_at - clock_timestamp()))::int as seconds`;
  const waits = rows
    .filter(({ key, attempts }) => attempts > (limits.get(key) ?? 0))
    .map(({ seconds }) => Math.max(1, seconds));
  return waits.length === 0 ? null : Math.max(...waits);
};

/** After a successful sign-in: forgets the failures of the e-mail address and takes this attempt back. */
export const takeBackAttempt = async ({ database }: Services, attempt: Attempt): Promise<void> => {
  if (attempt.email !== null) {
    await database.control.sign_in_attempts.deleteMany({ where: { key: keyOfEmail(attempt.email) } });
  }
  await database.control.$executeRaw`
    update sign_in_attempts set attempts = greatest(attempts - 1, 0) where key = ${keyOfNetwork(attempt.address)}`;
};

/** Limits by the key of their counter. */
const limitsOf = ({ email, address }: Attempt): ReadonlyMap<string, number> =>
  new Map([
    ...(email === null ? [] : [[keyOfEmail(email), MOST_OF_EMAIL] as const]),
    [keyOfNetwork(address), MOST_OF_NETWORK] as const,
  ]);

const keyOfEmail = (email: string): string => keyOf(['email', email]);
const keyOfNetwork = (address: string): string => keyOf(['address', networkOf(address)]);

const keyOf = (parts: string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
