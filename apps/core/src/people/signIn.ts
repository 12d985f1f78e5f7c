import { networkOf } from '@evaluation/platform/client-limits';
import type { Services } from '../command/services.ts';
import { knownDevice, newDevice } from './device.ts';
import { folded } from './email.ts';
import { isPassword, requirePasswords } from './passwords.ts';
import { startSession, type StartedSession } from './sessions.ts';
import { countAttempt, takeBackAttempt } from './throttle.ts';

type SignInAnswer =
  | (StartedSession & { device?: string })
  | { refused: 'wrong_credentials' }
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
  const staff = await services.database.control.staff.findUnique({ where: { email } });
  const isRight = await isPassword(networkOf(input.address), input.password, staff?.password_hash ?? null);
  if (staff === null || !isRight || staff.disabled_at !== null) return { refused: 'wrong_credentials' };
  await takeBackAttempt(services, attempt);
  const started = await startSession(services, staff.id, input.user_agent);
  return 'token' in started && device === null ? { ...started, device: newDevice(services, email) } : started;
};
