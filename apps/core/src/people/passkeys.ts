import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { auditOwnAct } from '../command/audit.ts';
import { failure } from '../command/failures.ts';
import type { Services } from '../command/services.ts';
import { requirePasswords } from './passwords.ts';
import { startSession, type StartedSession } from './sessions.ts';
import { readSigned, signText } from './signedText.ts';
import { countAttempt, isFirstUse, takeBackAttempt } from './throttle.ts';

/*
 * Passkeys (WebAuthn): a way in, and the second factor of an account. A person who has one signs in with it; the
 * password alone then opens nothing, and asks for the passkey. A link for a new password, which an admin makes, removes
 * the passkeys: it is the way back for a person who has lost the device.
 *
 *   …Options ──▶ what the browser hands to the authenticator, and `challenge`, a signed text that it sends back
 *   add, signIn ──▶ check the authenticator's answer against challenge and origin
 *
 * A challenge can be answered once, within ten minutes; each answer raises the authenticator's counter, if it has one.
 */

/** Passkeys of one person. */
const MOST_PASSKEYS = 10;

/** Origin of the desk, as its server knows it, such as `https://desk.example.org`. */
type Origin = string;

const rpOf = (origin: Origin): string => new URL(origin).hostname;

type WithoutExtensions<Generate extends (...input: never) => Promise<object>> = Omit<
  Awaited<ReturnType<Generate>>,
  'extensions'
>;

interface Asked<Options> {
  options: Options;
  challenge: string;
}

interface Me {
  institute_id: string;
  staff_id: string;
}

/** @throws DomainFailure not_found, conflict where staff signs in with the provider alone */
export const passkeyOptions = async (
  services: Services,
  me: Me,
  origin: Origin,
): Promise<Asked<WithoutExtensions<typeof generateRegistrationOptions>>> => {
  requirePasswords(services);
  const staff = await ownAccount(services, me);
  const { extensions: _none, ...options } = await generateRegistrationOptions({
    rpName: 'Evaluation desk',
    rpID: rpOf(origin),
    userID: new Uint8Array(Buffer.from(staff.id.replaceAll('-', ''), 'hex')),
    userName: staff.email,
    userDisplayName: staff.name,
    attestationType: 'none',
    excludeCredentials: staff.passkeys.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  const { challenge } = options;
  return { options, challenge: signText(services, 'passkey', { challenge, staff_id: staff.id }) };
};

/** Adds a passkey of the caller. @throws DomainFailure validation_failed, conflict, not_found */
export const addPasskey = async (
  services: Services,
  me: Me,
  input: { origin: Origin; challenge: string; name: string; response: RegistrationResponseJSON },
): Promise<void> => {
  requirePasswords(services);
  const staff = await ownAccount(services, me);
  const facts = readSigned(services, 'passkey', input.challenge);
  if (facts === null || facts['staff_id'] !== staff.id) throw notAccepted();
  if (staff.passkeys.length >= MOST_PASSKEYS) throw failure('too_many_passkeys');
  const { registrationInfo } = await verifyRegistrationResponse({
    response: input.response,
    expectedChallenge: facts['challenge'] ?? '',
    expectedOrigin: input.origin,
    expectedRPID: rpOf(input.origin),
    requireUserVerification: true,
  }).catch(() => ({ registrationInfo: undefined }));
  if (registrationInfo === undefined) throw notAccepted();
  const { id, publicKey, counter } = registrationInfo.credential;
  // The call came twice, because its first answer was lost.
  if (staff.passkeys.some((passkey) => passkey.id === id)) return;
  await services.database.control.$transaction(async (tx) => {
    await tx.staff_passkeys.create({
      data: { id, staff_id: staff.id, public_key: Buffer.from(publicKey), counter, name: input.name },
    });
    await auditOwnAct(tx, staff, 'staff_passkey_add', { name: input.name });
  });
};

/** @throws DomainFailure not_found */
export const removePasskey = async (services: Services, me: Me, id: string): Promise<void> => {
  const staff = await ownAccount(services, me);
  await services.database.control.$transaction(async (tx) => {
    const removed = await tx.staff_passkeys.deleteMany({ where: { id, staff_id: staff.id } });
    if (removed.count === 0) throw failure('no_such_passkey');
    await auditOwnAct(tx, staff, 'staff_passkey_remove');
  });
};

export const passkeysOf = async (
  { database }: Services,
  staffId: string,
): Promise<{ id: string; name: string; created_at: string; last_used_at: string | null }[]> => {
  const passkeys = await database.control.staff_passkeys.findMany({
    where: { staff_id: staffId },
    orderBy: { created_at: 'asc' },
  });
  return passkeys.map(({ id, name, created_at, last_used_at }) => ({
    id,
    name,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
  }));
};

/** For any person: the authenticator knows whose passkey it is. */
export const passkeySignInOptions = async (
  services: Services,
  origin: Origin,
): Promise<Asked<WithoutExtensions<typeof generateAuthenticationOptions>>> => {
  requirePasswords(services);
  const { extensions: _none, ...options } = await generateAuthenticationOptions({
    rpID: rpOf(origin),
    userVerification: 'required',
  });
  return {
    options,
    challenge: signText(services, 'passkey sign-in', { challenge: options.challenge }),
  };
};

type PasskeyAnswer =
  | StartedSession
  | { refused: 'wrong_credentials' }
  | { refused: 'too_many_attempts'; retry_after_seconds: number };

const WRONG = { refused: 'wrong_credentials' } as const;

/** Signs in with a passkey. All refusals but that of the throttle are one answer. */
export const signInWithPasskey = async (
  services: Services,
  input: {
    origin: Origin;
    challenge: string;
    response: AuthenticationResponseJSON;
    address: string;
    user_agent: string;
  },
): Promise<PasskeyAnswer> => {
  requirePasswords(services);
  const attempt = { email: null, address: input.address };
  const wait = await countAttempt(services, attempt);
  if (wait !== null) return { refused: 'too_many_attempts', retry_after_seconds: wait };
  const facts = readSigned(services, 'passkey sign-in', input.challenge);
  const { control } = services.database;
  const passkey = await control.staff_passkeys.findUnique({
    where: { id: input.response.id },
    include: { staff: true },
  });
  if (facts === null || passkey === null || passkey.staff.disabled_at !== null) return WRONG;
  const checked = await verifyAuthenticationResponse({
    response: input.response,
    expectedChallenge: facts['challenge'] ?? '',
    expectedOrigin: input.origin,
    expectedRPID: rpOf(input.origin),
    requireUserVerification: true,
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(passkey.public_key),
      counter: Number(passkey.counter),
    },
  }).catch(() => null);
  if (checked?.verified !== true || !(await isFirstUse(services, input.challenge))) return WRONG;
  await control.staff_passkeys.update({
    where: { id: passkey.id },
    data: { counter: checked.authenticationInfo.newCounter, last_used_at: new Date() },
  });
  await takeBackAttempt(services, attempt);
  return startSession(services, passkey.staff_id, input.user_agent);
};

const ownAccount = async ({ database }: Services, { institute_id, staff_id }: Me) => {
  const staff = await database.control.staff.findUnique({
    where: { id: staff_id, institute_id, disabled_at: null },
    include: { passkeys: true },
  });
  if (staff === null) throw failure('no_such_staff');
  return staff;
};

const notAccepted = (): DomainFailure => {
  const error = { field: 'response', code: 'invalid_value', message: 'The passkey was not accepted.' };
  return new DomainFailure('validation_failed', { details: { errors: [error] } });
};
