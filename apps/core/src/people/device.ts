import { randomUUID } from 'node:crypto';
import type { Services } from '../command/services.ts';
import { readSigned, signText } from './signedText.ts';

/*
 * A browser in which a person has signed in keeps a signed text for half a year. It opens nothing: with the right
 * password, it lets the person in while others have used up the attempts of the network or of the e-mail address. The
 * signature covers the address, which the text does not hold.
 */

const LIFETIME_MS = 180 * 24 * 60 * 60 * 1000;

const purposeOf = (email: string): string => `device of ${email}`;

export const newDevice = (services: Pick<Services, 'settings'>, email: string): string =>
  signText(services, purposeOf(email), { id: randomUUID() }, LIFETIME_MS);

/** @returns the id of the browser; null if the text is forged, too old, or of another e-mail address */
export const knownDevice = (
  services: Pick<Services, 'settings'>,
  text: string | undefined,
  email: string,
): string | null =>
  text === undefined ? null : (readSigned(services, purposeOf(email), text)?.['id'] ?? null);
