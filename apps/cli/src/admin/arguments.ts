import { InvalidArgumentError } from 'commander';
// Imports single files of the contract: every command loads this file, and loading the whole contract takes long.
import { Scope, SCOPES } from '@evaluation/rest-contract/schemas/account';
import { givenTime, uuid } from '@evaluation/rest-contract/schemas/primitives';
import { MAX_PRICE } from '@evaluation/rules/pricing';

/** Parsers for the values of options. Each throws InvalidArgumentError with the accepted form. */

const MAXIMUM = 1_000_000_000;

/** Credits and prices are exact decimals with at most four places; more places would be rounded silently. */
export const credits = (text: string): number => {
  if (!/^\d{1,10}(\.\d{1,4})?$/.test(text) || Number(text) > MAXIMUM) {
    throw new InvalidArgumentError(
      `A number from 0 to ${MAXIMUM} with at most four decimals, such as 500 or 0.25.`,
    );
  }
  return Number(text);
};

export const contractPrice = (text: string): number => {
  const amount = credits(text);
  if (amount > MAX_PRICE) throw new InvalidArgumentError(`A price is at most ${MAX_PRICE} credits.`);
  return amount;
};

export const creditsAboveZero = (text: string): number => {
  const amount = credits(text);
  if (amount === 0) throw new InvalidArgumentError('More than 0.');
  return amount;
};

export const count = (text: string): number => {
  if (!/^\d{1,10}$/.test(text) || Number(text) > MAXIMUM) {
    throw new InvalidArgumentError(`A whole number from 0 to ${MAXIMUM}.`);
  }
  return Number(text);
};

export const attempt = (text: string): number => {
  const number = count(text);
  if (number === 0) throw new InvalidArgumentError('A whole number from 1.');
  return number;
};

export const id = (text: string): string => {
  if (!uuid.safeParse(text).success) {
    throw new InvalidArgumentError('An id looks like 0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11.');
  }
  return text;
};

export const name = (text: string): string => {
  if (text.trim() === '' || [...text].length > 255) throw new InvalidArgumentError('1 to 255 characters.');
  return text;
};

/** Only characters that a shell does not interpret, so that a printed command with the key can be copied. */
export const idempotencyKey = (text: string): string => {
  if (!/^[\w.:-]{1,256}$/.test(text)) {
    throw new InvalidArgumentError('1 to 256 letters, digits, and any of _ . : -');
  }
  return text;
};

/** Accepts `read` for `evaluation:read`. */
export const scopes = (text: string): Scope[] => {
  const parsed = text.split(',').map((part) => {
    const word = part.trim();
    const scope = Scope.safeParse(word.includes(':') ? word : `evaluation:${word}`);
    if (!scope.success) {
      throw new InvalidArgumentError(
        `There is no scope '${word}': a comma list of ${SCOPES.map((known) => known.slice('evaluation:'.length)).join(', ')}.`,
      );
    }
    return scope.data;
  });
  return [...new Set(parsed)];
};

/** Returns the text unchanged; core parses it. */
export const time = (text: string): string => {
  if (!givenTime.safeParse(text).success) {
    throw new InvalidArgumentError('A time in UTC such as 2030-01-31T18:30:00Z.');
  }
  return text;
};

/*
 * Options that can be cleared by a word such as `none`. The word is kept until the command runs, because commander uses
 * null for an option without a value.
 */

export const price = (text: string): number | 'standard' =>
  text === 'standard' ? text : contractPrice(text);

export const cap = (text: string): number | 'none' => (text === 'none' ? text : count(text));

export const expiry = (text: string): string => (text === 'never' ? text : time(text));

/** Core checks the form. */
export const email = (text: string): string => {
  if (!/^[^\s@]+@[^\s@]+$/.test(text) || text.length > 254) {
    throw new InvalidArgumentError('An e-mail address such as asha@example.org.');
  }
  return text;
};

export const externalId = (text: string): string => {
  if (text === '' || [...text].length > 128) throw new InvalidArgumentError('1 to 128 characters.');
  return text;
};
