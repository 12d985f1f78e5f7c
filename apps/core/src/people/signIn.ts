import { networkOf } from '@evaluation/platform/client-limits';
import type { Services } from '../command/services.ts';
import { folded } from './email.ts';
import { isPassword } from './passwords.ts';
import { startSession, type StartedSession } from './sessions.ts';
import { countAttempt, takeBackAttempt } from './throttle.ts';

type SignInAnswer =
  | StartedSession
  | { refused: 'wrong_credentials' }
  | { refused: 'too_many_attempts'; retry_after_seconds: number };

/**
 * Signs in with e-mail and password. A wrong password, an unknown address, a disabled account and an account without a
 * password get the same answer after the same work. @throws NoTurn while too many passwords are compared
 */
export const signIn = async (
  services: Services,
  input: { email: string; password: string; address: string; user_agent: string },
): Promise<SignInAnswer> => {
  const attempt = { email: folded(input.email), address: input.address };
  const wait = await countAttempt(services, attempt);
  if (wait !== null) return { refused: 'too_many_attempts', retry_after_seconds: wait };
  const staff = await services.database.control.staff.findUnique({ where: { email: attempt.email } });
  const isRight = await isPassword(networkOf(input.address), input.password, staff?.password_hash ?? null);
  if (staff === null || !isRight || staff.disabled_at !== null) return { refused: 'wrong_credentials' };
  await takeBackAttempt(services, attempt);
  return startSession(services, staff.id, input.user_agent);
};
