import type { Outputs } from '@evaluation/core-client';
import { askSession, type Staff } from '../app/session.ts';

export type Passkey = Outputs['public']['desk']['people']['myPasskeys'][number];

/** Browsers bind passkeys to a name, and refuse them on pages whose address is a number. */
export const hasPasskeys = (): boolean =>
  window.isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(window.location.hostname);

type Answer =
  | { staff: Staff }
  | { refused: 'wrong_credentials' | 'institute_disabled' }
  | { refused: 'too_many_attempts'; retry_after_seconds: number };

/** Signs in with a passkey of this browser. @returns null if the person has stopped */
export const signInWithPasskey = async (): Promise<Answer | null> => {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { options, challenge } = (await askSession(
    'POST',
    '/passkey/options',
  )) as Outputs['public']['desk']['people']['passkeySignInOptions'];
  const response = await startAuthentication({ optionsJSON: options }).catch(() => null);
  if (response === null) return null;
  return (await askSession('POST', '/passkey', { challenge, response })) as Answer;
};
