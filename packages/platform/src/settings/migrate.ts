import * as z from 'zod/v4';
import { read } from './read.ts';

export const MigrateEnvironment = z.object({
  /** PostgreSQL address. For migrate its role must own the objects; core's role may have fewer rights. */
  DATABASE_URL: z.string(),
  /**
   * Role that core connects as, if it differs from the role of DATABASE_URL. It gets access to the tables' rows only.
   */
  CORE_DATABASE_ROLE: z.string().max(63).optional(),
});

export const readMigrateSettings = (env: Record<string, string | undefined> = process.env) => {
  const e = read(MigrateEnvironment, env);
  return { databaseUrl: e.DATABASE_URL, coreRole: e.CORE_DATABASE_ROLE };
};
