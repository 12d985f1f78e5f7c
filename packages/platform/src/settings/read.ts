import * as z from 'zod/v4';

/** Names every wrong or missing setting, but no values, which may be secrets. */
export class SettingsError extends Error {
  constructor(problems: readonly string[]) {
    super(`Settings that need attention:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** Reads the settings of one process. An empty variable counts as unset. @throws SettingsError */
export const read = <S extends z.ZodType>(
  schema: S,
  env: Record<string, string | undefined>,
): z.output<S> => {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = new Map<string, string>();
  for (const { path, message } of result.error.issues) {
    const name = String(path[0] ?? '');
    // The first problem of a variable is its cause; later ones follow from it.
    if (!problems.has(name))
      problems.set(name, Object.hasOwn(given, name) || name === '' ? message : missing(message));
  }
  throw new SettingsError([...problems].map(([name, message]) => `${name}: ${message}`));
};

/** Zod calls a missing value "Invalid input". Checks of several variables have their own text. */
const missing = (message: string): string => (message.startsWith('Invalid input') ? 'is missing' : message);

export const integer = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^-?\d+$/, 'a whole number')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));

export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const port = integer(0, 65_535);
const secret = z.string().min(16, 'at least 16 characters');

/** A secret, or two in a rotation as a comma list: all are accepted, the first is sent (docs/operate/secrets.md). */
export const rotated = z
  .string()
  .transform((list) => list.split(',').map((one) => one.trim()))
  .pipe(z.array(secret).min(1).max(2, 'at most two, the new one and the old one'));
export const inUse = rotated.transform(([first = '']) => first);
export const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info');
