import { createHash, randomBytes } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import * as z from 'zod/v4';

/*
 * The proof that a worker holds what it claimed: a run, an inspection or a drawing (decision 029). `claim` makes a random
 * token for the worker and stores its SHA-256. Ids, fences and deliveries stand in lane messages, which every worker can
 * read; the token stands nowhere but in the answer to the claim. A claim is made once, so a second worker gets no token.
 *
 * Workers and cores of release 0.1.0 know of no tokens. What they have claimed is held without one: the stored number
 * (fence or delivery) of the claim with a token is then not the present one.
 */

const TOKEN_BYTES = 32;

export const ClaimToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** Sent by workers since release 0.2.0: they present the token with everything that they say of the claim. */
export const withToken = { with_token: z.boolean().optional() };

export interface NewClaim {
  /** Undefined for a worker that does not ask for one. */
  token: string | undefined;
  sha256: string | null;
}

export const newClaim = ({ with_token }: { with_token?: boolean | undefined }): NewClaim => {
  if (with_token !== true) return { token: undefined, sha256: null };
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, sha256: sha256Of(token) };
};

const sha256Of = (token: string): string => createHash('sha256').update(token).digest('hex');

/** What is compared in SQL. Null compares as false: who presents no token has none. */
export const presented = (token: string | undefined): string | null =>
  token === undefined ? null : sha256Of(token);

interface Columns {
  /** The number of the present claim. */
  number: string;
  /** The number of the claim that the stored token belongs to. */
  tokenNumber: string;
  sha256: string;
}

/** SQL: the caller presents the token of the present claim, or the present claim has none. */
export const isProven = (columns: Columns, token: string | undefined): RawBuilder<boolean> => sql<boolean>`
  (${sql.ref(columns.tokenNumber)} is distinct from ${sql.ref(columns.number)}
    or ${sql.ref(columns.sha256)} = ${presented(token)}::text)`;
