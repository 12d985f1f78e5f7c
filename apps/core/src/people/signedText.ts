import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/v4';
import type { Services } from '../command/services.ts';

/*
 * Facts that core gives a browser to keep between two calls, signed, so that no row holds them. The text is readable by
 * the browser. A text of one purpose is of no use for another.
 */

const LIFETIME_MS = 10 * 60 * 1000;

type Keys = { settings: Pick<Services['settings'], 'actorSigningKeys'> };

export const signText = (
  { settings }: Keys,
  purpose: string,
  facts: Record<string, string>,
  lifetimeMs = LIFETIME_MS,
): string => {
  const payload = Buffer.from(JSON.stringify({ facts, until: Date.now() + lifetimeMs })).toString(
    'base64url',
  );
  return `${payload}.${mac(purpose, payload, settings.actorSigningKeys[0] ?? '')}`;
};

const Signed = z.object({ facts: z.record(z.string(), z.string()), until: z.int() });

/** @returns null if the text is forged, of another purpose, or too old */
export const readSigned = (
  { settings }: Keys,
  purpose: string,
  text: string,
): Record<string, string> | null => {
  const [payload = '', signature = ''] = text.split('.');
  const given = Buffer.from(signature);
  const isSigned = settings.actorSigningKeys.some((key) => {
    const expected = Buffer.from(mac(purpose, payload, key));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  if (!isSigned) return null;
  const { facts, until } = Signed.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  return until > Date.now() ? facts : null;
};

const mac = (purpose: string, payload: string, key: string): string =>
  createHmac('sha256', key).update(`${purpose} ${payload}`).digest('base64url');
