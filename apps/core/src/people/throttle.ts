import { createHash } from 'node:crypto';
import { networkOf } from '@evaluation/platform/client-limits';
import type { Services } from '../command/services.ts';

/*
 * Throttle of sign-ins (docs/desk/people.md#throttle): counters in fixed windows that begin with their first attempt.
 * An attempt is counted before its password is compared, or before the provider is asked, so that parallel attempts
 * cannot exceed the limit; a successful one is taken back.
 *
 *   a browser in which this person has signed in before ──▶ its own counter alone, whatever others try
 *   any other browser                                   ──▶ the counters of the e-mail address and of its network
 *   a network over its limit                            ──▶ one attempt in SLOW_SECONDS, of all its people together
 *
 * State: rows in PostgreSQL, shared by all replicas of core. A crash between count and take-back costs one attempt.
 */

const WINDOW_SECONDS = 15 * 60;
const MOST_OF_EMAIL = 10;
const MOST_OF_DEVICE = 10;
const MOST_OF_NETWORK = 100;
const SLOW_SECONDS = 5;

interface Attempt {
  /** Folded e-mail address, whether or not it has an account; null while the provider has not sent it. */
  email: string | null;
  /** Network address of the browser. */
  address: string;
  /** Id of a browser that is known for this e-mail address (`device.ts`). */
  device?: string | null;
}

interface Counter {
  key: string;
  most: number;
  seconds: number;
}

/** Counts an attempt. @returns seconds until the next attempt is allowed; null if this attempt is allowed */
export const countAttempt = async ({ database }: Services, attempt: Attempt): Promise<number | null> => {
  const { own, network, slow } = countersOf(attempt);
  const counters = [own, network, slow].filter((counter) => counter !== null);
  // In the order of the keys, so that two attempts cannot wait for each other.
  const sorted = counters.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const rows = await database.control.$queryRaw<{ key: string; attempts: number; seconds: number }[]>`
    insert into sign_in_attempts as a (key, attempts, expires_at)
    select key, 1, clock_timestamp() + make_interval(secs => seconds)
    from unnest(${sorted.map(({ key }) => key)}::text[], ${sorted.map(({ seconds }) => seconds)}::int[])
      as k (key, seconds) order by key
    on conflict (key) do update set
      attempts = case when a.expires_at <= clock_timestamp() then 1 else least(a.attempts + 1, 1000000) end,
      expires_at = case when a.expires_at <= clock_timestamp() then excluded.expires_at else a.expires_at end
    returning key, attempts, ceil(extract(epoch from expires_at - clock_timestamp()))::int as seconds`;
  const waitFor = (counter: Counter | null): number => {
    const row = rows.find(({ key }) => key === counter?.key);
    return row === undefined || counter === null || row.attempts <= counter.most
      ? 0
      : Math.max(1, row.seconds);
  };
  const wait = Math.max(waitFor(own), waitFor(network) === 0 ? 0 : waitFor(slow));
  return wait === 0 ? null : wait;
};

/** After a successful sign-in: forgets the failures of the person and takes this attempt back. */
export const takeBackAttempt = async ({ database }: Services, attempt: Attempt): Promise<void> => {
  const { own, network } = countersOf(attempt);
  if (own !== null) await database.control.sign_in_attempts.deleteMany({ where: { key: own.key } });
  if (network === null) return;
  await database.control.$executeRaw`
    update sign_in_attempts set attempts = greatest(attempts - 1, 0) where key = ${network.key}`;
};

/** Notes that a text, which is valid for ten minutes, was used. @returns false if it was used before */
export const isFirstUse = async ({ database }: Services, text: string): Promise<boolean> =>
  (await database.control.$executeRaw`
    insert into sign_in_attempts (key, attempts, expires_at)
    values (${keyOf(['used', text])}, 1, clock_timestamp() + interval '15 minutes')
    on conflict (key) do nothing`) === 1;

/** `own` counts the attempts on one person: in a known browser, or else by the e-mail address. */
const countersOf = ({
  email,
  address,
  device = null,
}: Attempt): { own: Counter | null; network: Counter | null; slow: Counter | null } => {
  if (device !== null) {
    const own = { key: keyOf(['device', device]), most: MOST_OF_DEVICE, seconds: WINDOW_SECONDS };
    return { own, network: null, slow: null };
  }
  const network = networkOf(address);
  return {
    own:
      email === null ? null : { key: keyOf(['email', email]), most: MOST_OF_EMAIL, seconds: WINDOW_SECONDS },
    network: { key: keyOf(['address', network]), most: MOST_OF_NETWORK, seconds: WINDOW_SECONDS },
    slow: { key: keyOf(['slow', network]), most: 1, seconds: SLOW_SECONDS },
  };
};

const keyOf = (parts: string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
