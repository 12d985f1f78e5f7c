import { deploy, grantCore, waitForSchema, waitForServer } from '@evaluation/database/migrate';
import { readMigrateSettings } from '@evaluation/platform/settings';

const apply = async (databaseUrl: string, coreRole: string | undefined): Promise<void> => {
  await waitForServer(databaseUrl, { signal: new AbortController().signal, onProgress: say });
  const { applied } = await deploy(databaseUrl, { onProgress: say });
  if (coreRole !== undefined) {
    await grantCore(databaseUrl, coreRole);
    say(`${coreRole} may read and write rows, add to history, and nothing else`);
  }
  say(applied.length === 0 ? 'nothing to apply: the database is up to date' : `applied ${applied.length}`);
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** An AggregateError, such as for a host with several addresses, has a code and an empty message. */
const sentenceOf = (reason: unknown): string => {
  if (!(reason instanceof Error)) return String(reason);
  if (reason.message !== '') return reason.message;
  return 'code' in reason ? String(reason.code) : reason.name;
};

// As the first process of a container, Node ignores these signals without a handler. The migration under way is rolled
// back: each migration is one transaction, and PostgreSQL frees the lock of a closed session.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    say(`${signal}: stopped; applied migrations stay, the next run applies the rest`);
    process.exit(1);
  });
}

/**
 * Applies the missing migrations and ends: exit code 0 when the database has them all, 1 on failure. Several processes
 * may run at once: one holds the lock, the others wait for it and then have nothing to do. A database that is not
 * reachable yet is waited for without limit; the caller sets one (a Job's activeDeadlineSeconds).
 *
 * `--wait` applies nothing; it ends with 0 when another process has applied and granted all migrations.
 */
try {
  const { databaseUrl, coreRole } = readMigrateSettings();
  if (process.argv.includes('--wait'))
    await waitForSchema(databaseUrl, { signal: new AbortController().signal, onProgress: say });
  else await apply(databaseUrl, coreRole);
} catch (error) {
  // Prints messages without the stack; the causes contain the reason.
  for (let reason = error; reason !== undefined; reason = reason instanceof Error ? reason.cause : undefined)
    console.error(sentenceOf(reason));
  process.exitCode = 1;
}
