import { createHash, randomBytes } from 'node:crypto';

/** A token has 256 random bits. Only its hash is stored, so a copy of the database opens no session. */
export const newToken = (): { token: string; hash: string } => {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOfToken(token) };
};

export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');
