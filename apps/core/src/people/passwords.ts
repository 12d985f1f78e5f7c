import { hash, verify } from '@node-rs/argon2';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { createTurns } from '@evaluation/platform/turns';

/*
 * Passwords are stored as Argon2id. A hash takes 19 MiB and some 20 ms of a core by design, so a flood of sign-ins
 * could take the processor from all other calls. State, in memory: two hashes run at once, and the others wait in
 * turns over the keys (network or person).
 */

/** First choice of OWASP's password storage cheat sheet for Argon2id with the least memory that it advises. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const MIN_PASSWORD = 12;
const MAX_PASSWORD = 200;

const turns = createTurns({ what: 'passwords', places: 2, share: 1, mostWaiting: 20, waitMs: 10_000 });

const inTurn = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
  const giveBack = await turns.acquire(key);
  try {
    return await work();
  } finally {
    giveBack();
  }
};

/**
 * @param key the network of the caller, or the id of a member of staff; hashes of different keys take turns
 * @throws DomainFailure validation_failed for a password that is too short or too long; NoTurn
 */
export const hashPassword = (key: string, password: string, field = 'password'): Promise<string> => {
  const length = [...password].length;
  if (length < MIN_PASSWORD || length > MAX_PASSWORD) {
    const [code, message] =
      length < MIN_PASSWORD
        ? ['too_short', `At least ${MIN_PASSWORD} characters.`]
        : ['too_long', `At most ${MAX_PASSWORD} characters.`];
    throw new DomainFailure('validation_failed', { details: { errors: [{ field, code, message }] } });
  }
  return inTurn(key, () => hash(normalized(password), COST));
};

/** Hash of random bytes with COST: no password is known for it. */
export const UNUSABLE =
  '$argon2id$v=19$m=19456,t=2,p=1$/UvuFrKnK0nQFgTEng51PA$A09bVyB4esGfyR7g6Err8knutOLehWtcjnBGotXzB80';

/**
 * Compares a password with a stored hash. Without a hash it computes for the same time and returns false, so the time
 * of the answer does not tell whether an account exists. @throws NoTurn
 */
export const isPassword = async (key: string, password: string, stored: string | null): Promise<boolean> => {
  const isEqual = await inTurn(key, () => verify(stored ?? UNUSABLE, normalized(password)));
  return isEqual && stored !== null;
};

/** Keyboards differ in how they compose letters with accents. */
const normalized = (password: string): string => password.normalize('NFC');
