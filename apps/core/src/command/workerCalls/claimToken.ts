import { createHash, randomBytes } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import * as z from 'zod/v4';

/*
 * Proof that a worker holds what it claimed: a run, an inspection or a drawing (decision 029). `claim` makes a random
 * token for the worker and stores its SHA-256. Ids, fences and deliveries are in lane messages, which every worker can
 * read; the token is only in the answer to the claim. A claim is answered once, so a second worker gets no token.
 *
 * Workers and cores of release 0.1.0 have no tokens. Their claims are held without one: the stored number (fence or
 * delivery) of the last claim with a token then differs from the present number.
 */

const TOKEN_BYTES = 32;

export const ClaimToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** Sent by workers since release 0.2.0, which send the token with every call about the claim. */
export const withToken = { with_token: z.boolean().optional() };

export interface NewClaim {
  /** Undefined for a worker that did not ask for one. */
  token: string | undefined;
  sha256: string | null;
}

export const newClaim = ({ with_token }: { with_token?: boolean | undefined }): NewClaim => {
  if (with_token !== true) return { token: undefined, sha256: null };
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, sha256: sha256Of(token) };
};

const sha256Of = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Value to compare in SQL. Null, for a missing token, compares as false. */
export const presented = (token: string | undefined): string | null =>
  token === undefined ? null : sha256Of(token);

interface Columns {
  number: string;
  /** Number of the claim that the stored token belongs to. */
  tokenNumber: string;
  sha256: string;
}

/** SQL condition: the caller sends the token of the present claim, or the present claim has no token. */
export const isProven = (columns: Columns, token: string | undefined): RawBuilder<boolean> => sql<boolean>`
  (${sql.ref(columns.tokenNumber)} is distinct from ${sql.ref(columns.number)}
    or ${sql.ref(columns.sha256)} = ${presented(token)}::text)`;
