import { hash, verify } from '@node-rs/argon2';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { createTurns } from '@evaluation/platform/turns';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { failure } from '../command/failures.ts';
import type { Services } from '../command/services.ts';

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

const strength = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
/** Guesses as a power of ten: the throttle allows an attacker a million in some years. */
const LEAST_GUESSES_LOG10 = 6;
/** The time of an estimate grows with the length; 64 characters take some 20 ms. */
const ESTIMATED_CHARACTERS = 64;

/** @throws DomainFailure conflict where staff signs in with the provider alone */
export const requirePasswords = ({ settings }: Pick<Services, 'settings'>): void => {
  if (settings.oidc?.isOnlyWay === true) throw failure('passwords_off');
};

const problemOf = (password: string, about: readonly string[]): [code: string, message: string] | null => {
  const length = [...password].length;
  if (length < MIN_PASSWORD) return ['too_short', `At least ${MIN_PASSWORD} characters.`];
  if (length > MAX_PASSWORD) return ['too_long', `At most ${MAX_PASSWORD} characters.`];
  const words = about.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  const { guessesLog10 } = strength.check(password.slice(0, ESTIMATED_CHARACTERS), words);
  return guessesLog10 < LEAST_GUESSES_LOG10
    ? ['too_easy', 'Others would guess this password soon. Take four words that do not belong together.']
    : null;
};

/**
 * @param key the network of the caller, or the id of a member of staff; hashes of different keys take turns
 * @param about name and e-mail address of the person, which make a password easy to guess
 * @throws DomainFailure validation_failed for a password that is too short, too long or easy to guess; NoTurn
 */
export const hashPassword = async (
  key: string,
  password: string,
  { about = [], field = 'password' }: { about?: readonly string[]; field?: string } = {},
): Promise<string> => {
  const problem = problemOf(password, about);
  if (problem !== null) {
    const [code, message] = problem;
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
