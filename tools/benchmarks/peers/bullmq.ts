/**
 * BullMQ on a Redis that writes each change to disk: one process adds jobs that do nothing, and works on eight at
 * once.
 */
import { Queue, Worker } from 'bullmq';
import { jobLoop } from './jobLoop.ts';

const url = new URL(process.env['REDIS_URL'] ?? '');
const connection = { host: url.hostname, port: Number(url.port) };

await jobLoop(async (isDone) => {
  const queue = new Queue('nothing', { connection });
  const worker = new Worker('nothing', async () => {}, { connection, concurrency: 8 });
  worker.on('completed', isDone);
  await worker.waitUntilReady();
  return { add: () => queue.add('nothing', { run: 1 }, { removeOnComplete: true }) };
});
