import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod/v4';

/*
 * Proof that a worker holds what it claimed: a run, an inspection or a drawing (decision 029). `claim` makes a random
 * token for the worker and stores its SHA-256. Ids, fences and deliveries are in lane messages, which every worker can
 * read; the token is only in the answer to the claim. A claim is answered once, so a second worker gets no token.
 */

const TOKEN_BYTES = 32;

export const ClaimToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

export interface NewClaim {
  token: string;
  sha256: string;
}

export const newClaim = (): NewClaim => {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, sha256: sha256Of(token) };
};

/** SHA-256 (hex) of a token, as stored. */
export const sha256Of = (token: string): string => createHash('sha256').update(token).digest('hex');
