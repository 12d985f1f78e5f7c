import * as z from 'zod/v4';

/**
 * An e-mail address in the form in which it is stored and looked up. Only ASCII is folded: Unicode makes `k` of the
 * Kelvin sign (U+212A), so another person's address would be taken for a stored one. No stored address has other signs.
 */
export const folded = (email: string): string => {
  const address = email.trim();
  return /^[\x21-\x7e]*$/.test(address) ? address.toLowerCase() : address;
};

/** E-mail address of a new account. */
export const NewEmail = z.string().max(254).transform(folded).pipe(z.email().max(254));
