import * as z from 'zod/v4';
import { read } from './read.ts';

export const MigrateEnvironment = z.object({
  /** A role that owns the database's objects; core's own may be a lesser one. */
  DATABASE_URL: z.string(),
  /** The role that core connects as, where it is another: it is given the rows of the tables, and nothing else. */
  CORE_DATABASE_ROLE: z.string().max(63).optional(),
});

export const readMigrateSettings = (env: Record<string, string | undefined> = process.env) => {
  const e = read(MigrateEnvironment, env);
  return { databaseUrl: e.DATABASE_URL, coreRole: e.CORE_DATABASE_ROLE };
};
export type MigrateSettings = ReturnType<typeof readMigrateSettings>;
