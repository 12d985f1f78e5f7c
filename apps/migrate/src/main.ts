import { deploy, grantCore, waitForSchema, waitForServer } from '@evaluation/database/migrate';
import { readMigrateSettings } from '@evaluation/settings';

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

// As the first process of a container it would not end by a signal without this. What is under way is rolled back: each
// migration is one transaction, and a session that is gone loses its lock.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    say(`${signal}: stopped; what was applied stays, the next run goes on from there`);
    process.exit(1);
  });
}

/**
 * Applies the migrations that the database does not have yet, and ends: 0 when it has them all, 1 when it could not.
 * Any number may run at once: one works, the others wait for its lock and find nothing left to do. A server that is not
 * there yet is waited for, as long as whoever runs this allows (a Job's activeDeadlineSeconds).
 *
 * `--wait` applies nothing: it ends, with 0, when all of them are applied and granted, by whomever.
 */
try {
  const { databaseUrl, coreRole } = readMigrateSettings();
  if (process.argv.includes('--wait'))
    await waitForSchema(databaseUrl, { signal: new AbortController().signal, onProgress: say });
  else await apply(databaseUrl, coreRole);
} catch (error) {
  // Whoever reads it needs the sentence, not our stack; the causes tell why.
  for (let reason = error; reason !== undefined; reason = reason instanceof Error ? reason.cause : undefined)
    console.error(sentenceOf(reason));
  process.exitCode = 1;
}

/** An error that sums up others, as of a name with several addresses, has a code and no words. */
function sentenceOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  if (reason.message !== '') return reason.message;
  return 'code' in reason ? String(reason.code) : reason.name;
}
