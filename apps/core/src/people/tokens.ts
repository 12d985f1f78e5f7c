import { createHash, randomBytes } from 'node:crypto';

/**
 * Tokens of sessions and links: 256 random bits. Only their hash is stored, so a copy of the database opens nothing.
 */
export const newToken = (): { token: string; hash: string } => {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOfToken(token) };
};

export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');
