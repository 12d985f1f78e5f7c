import * as z from 'zod/v4';

/** An e-mail address in the form in which it is stored and looked up. */
export const folded = (email: string): string => email.normalize('NFC').trim().toLowerCase();

/** E-mail address of a new account. */
export const NewEmail = z.string().max(254).transform(folded).pipe(z.email().max(254));
