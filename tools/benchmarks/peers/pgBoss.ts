/** pg-boss: one process adds jobs that do nothing, and fetches them in batches. */
import { PgBoss } from 'pg-boss';
import { jobLoop } from './jobLoop.ts';

const QUEUE = 'nothing';

await jobLoop(async (isDone) => {
  const boss = new PgBoss({ connectionString: process.env['DATABASE_URL'] ?? '', max: 10 });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE);
  await boss.work(QUEUE, { batchSize: 8, localConcurrency: 4, pollingIntervalSeconds: 0.5 }, async (jobs) => {
    // The jobs are completed in the database a moment after this handler returns.
    for (const _ of jobs) isDone();
  });
  return { add: () => boss.send(QUEUE, { run: 1 }) };
});
