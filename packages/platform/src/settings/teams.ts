import * as z from 'zod/v4';

/** An internal team with signing keys of its own (docs/internal-teams.md#a-key-for-each-team). */
const Team = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'a name of lower-case letters, digits and hyphens'),
  /** Two while one replaces the other. */
  keys: z.array(z.string().min(16, 'at least 16 characters')).min(1).max(2),
  institutes: z.union([z.literal('all'), z.array(z.uuid()).min(1)], '"all", or a list of ids of institutes'),
  roles: z.array(z.enum(['admin', 'examiner'])).min(1),
});

/** A JSON list of teams. No message holds a value, which may be a key. */
export const teams = z
  .string()
  .transform((text, { issues }): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      issues.push({ code: 'custom', input: undefined, message: 'a JSON list of teams' });
      return z.NEVER;
    }
  })
  .pipe(z.array(Team));
