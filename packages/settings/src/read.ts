import * as z from 'zod/v4';

/** Thrown with every setting that is wrong or missing; never with a value, which may be a secret. */
export class SettingsError extends Error {
  constructor(problems: readonly string[]) {
    super(`Settings that need attention:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** Reads the settings of one process. An empty variable counts as not set. @throws SettingsError */
export const read = <S extends z.ZodType>(
  schema: S,
  env: Record<string, string | undefined>,
): z.output<S> => {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new SettingsError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
};

export const integer = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^-?\d+$/, 'a whole number')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));

export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const port = integer(0, 65_535);
export const secret = z.string().min(16, 'at least 16 characters');

/**
 * A secret that is being replaced, as a comma list: all of them are accepted, the first is used. Two are enough for a
 * rotation; more would be secrets that nobody took away (docs/operations.md, "Rotate keys and secrets").
 */
export const rotated = z
  .string()
  .transform((list) => list.split(',').map((one) => one.trim()))
  .pipe(z.array(secret).min(1).max(2, 'at most two, the new one and the old one'));
/** The one that a caller uses. */
export const inUse = rotated.transform(([first = '']) => first);
export const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info');
