/** graphile-worker with its defaults: one process adds jobs that do nothing, and works on eight at once. */
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { jobLoop } from './jobLoop.ts';

const connectionString = process.env['DATABASE_URL'] ?? '';
const logger = new Logger(() => () => {});

await jobLoop(async (isDone) => {
  const tools = await makeWorkerUtils({ connectionString, logger, maxPoolSize: 8 });
  await tools.migrate();
  const runner = await run({
    connectionString,
    logger,
    concurrency: 8,
    maxPoolSize: 10,
    noHandleSignals: true,
    taskList: { nothing: () => {} },
  });
  runner.events.on('job:complete', isDone);
  return { add: () => tools.addJob('nothing', { run: 1 }) };
});
