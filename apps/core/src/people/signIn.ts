import { networkOf } from '@evaluation/platform/client-limits';
import type { Services } from '../command/services.ts';
import { knownDevice, newDevice } from './device.ts';
import { folded } from './email.ts';
import { isPassword, requirePasswords } from './passwords.ts';
import { startSession, type StartedSession } from './sessions.ts';
import { countAttempt, takeBackAttempt } from './throttle.ts';

type SignInAnswer =
  | (StartedSession & { device?: string })
  | { refused: 'wrong_credentials' | 'passkey_needed' }
  | { refused: 'too_many_attempts'; retry_after_seconds: number };

/**
 * Signs in with e-mail and password. A wrong password, an unknown address, a disabled account and an account without a
 * password get the same answer after the same work. @throws NoTurn while too many passwords are compared
 */
export const signIn = async (
  services: Services,
  input: {
    email: string;
    password: string;
    address: string;
    user_agent: string;
    /** Token of this browser from an earlier sign-in. */
    device?: string | undefined;
  },
): Promise<SignInAnswer> => {
  requirePasswords(services);
  const email = folded(input.email);
  const device = knownDevice(services, input.device, email);
  const attempt = { email, address: input.address, device };
  const wait = await countAttempt(services, attempt);
  if (wait !== null) return { refused: 'too_many_attempts', retry_after_seconds: wait };
  const staff = await accountWith(services, email, input);
  if (staff === null) return { refused: 'wrong_credentials' };
  await takeBackAttempt(services, attempt);
  // Told only to a person who knows the password.
  if (staff._count.passkeys > 0) return { refused: 'passkey_needed' };
  const started = await startSession(services, staff.id, input.user_agent);
  return 'token' in started && device === null ? { ...started, device: newDevice(services, email) } : started;
};

interface Account {
  id: string;
  _count: { passkeys: number };
}

/** Accounts of one address whose passwords are compared; a person seldom works for more institutes. */
const MOST_ACCOUNTS = 5;

/**
 * The account whose password this is. Several institutes may have an account of one address; if the person has given
 * all the same password, it is the one that was used last. Without an account, one hash is computed for nothing.
 */
const accountWith = async (
  { database }: Services,
  email: string,
  { address, password }: { address: string; password: string },
): Promise<Account | null> => {
  const accounts = await database.control.staff.findMany({
    where: { email },
    orderBy: [{ last_sign_in_at: { sort: 'desc', nulls: 'last' } }, { id: 'asc' }],
    take: MOST_ACCOUNTS,
    include: { _count: { select: { passkeys: true } } },
  });
  const network = networkOf(address);
  if (accounts.length === 0) await isPassword(network, password, null);
  let found: Account | null = null;
  for (const account of accounts) {
    const isRight = await isPassword(network, password, account.password_hash);
    if (isRight && account.disabled_at === null) found ??= account;
  }
  return found;
};
