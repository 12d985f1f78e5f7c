import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Services } from '../command/services.ts';

/*
 * A browser in which a person has signed in keeps a signed token for half a year. It opens nothing: with the right
 * password, it lets the person in while others have used up the attempts of the network or of the e-mail address.
 */

const LIFETIME_MS = 180 * 24 * 60 * 60 * 1000;

type Keys = { settings: Pick<Services['settings'], 'actorSigningKeys'> };

/** `<id>.<last ms>.<signature>`; the signature covers the e-mail address, which the token does not hold. */
export const newDevice = ({ settings }: Keys, email: string, now = Date.now()): string => {
  const named = `${randomUUID()}.${now + LIFETIME_MS}`;
  return `${named}.${mac(named, email, settings.actorSigningKeys[0] ?? '')}`;
};

/** @returns the id of the browser; null if the token is forged, expired, or of another e-mail address */
export const knownDevice = (
  { settings }: Keys,
  token: string | undefined,
  email: string,
  now = Date.now(),
): string | null => {
  const [id = '', until = '', signature = ''] = token?.split('.') ?? [];
  if (!(Number(until) > now)) return null;
  const given = Buffer.from(signature);
  const isSigned = settings.actorSigningKeys.some((key) => {
    const expected = Buffer.from(mac(`${id}.${until}`, email, key));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  return isSigned ? id : null;
};

const mac = (named: string, email: string, signingKey: string): string =>
  createHmac('sha256', signingKey)
    .update(JSON.stringify(['device', named, email]))
    .digest('base64url');
