import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { z } from 'zod/v4';
import { Job } from './messages.ts';
import type { Report } from './messages.ts';

// The child process: one job, one answer, then the end. Until it says "ready" whatever goes wrong is the installation's
// fault and ends it; from then on what it throws is an answer about the PDF.

const [kind, parentPid, maxResidentBytes] = z
  .tuple([z.enum(['inspect', 'extract', 'draw']), z.coerce.number(), z.coerce.number()])
  .parse(process.argv.slice(2));
const perform = await load(kind);
const watchdog = new Worker(new URL('watchdog.ts', import.meta.url), {
  workerData: { parentPid, maxResidentBytes },
});
await once(watchdog, 'online');
watchdog.unref();
process.once('disconnect', () => process.exit(1));

const received = once(process, 'message');
process.send?.('ready');
const [message] = await received;
try {
  await say(await perform(Job.parse(message)));
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  const outOfMemory = /out of memory|OOM|allocation failed/i.test(text);
  await say({
    kind: 'failed',
    code: outOfMemory ? 'out_of_memory' : 'unreadable',
    message: text.slice(0, 500),
  });
}
process.exit(0);

/** Loads what the kind of job needs and no more: an inspection needs neither sharp nor pdf-lib, half of its time. */
async function load(kindOfJob: Job['kind']): Promise<(job: Job) => Promise<Report>> {
  switch (kindOfJob) {
    case 'inspect': {
      const { inspect } = await import('../inspect.ts');
      return async (job) => ({ kind: 'inspected', inspection: await inspect(of(job, 'inspect').file) });
    }
    case 'extract': {
      const { extract } = await import('../pages/extract.ts');
      return async (job) => {
        await extract(of(job, 'extract'), (page) => say({ kind: 'page', page }));
        return { kind: 'extracted' };
      };
    }
    case 'draw': {
      const { draw } = await import('../checkedCopy/draw.ts');
      return async (job) => ({ kind: 'drawn', copy: await draw(of(job, 'draw')) });
    }
  }
}

function of<K extends Job['kind']>(job: Job, expected: K): Extract<Job, { kind: K }> {
  const isExpected = (each: Job): each is Extract<Job, { kind: K }> => each.kind === expected;
  if (!isExpected(job)) throw new Error(`a process for ${expected} was given ${job.kind}`);
  return job;
}

/** Resolves when the report is written to the pipe, so that the exit does not cut it off. */
function say(report: Report): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) return reject(new Error('started without a parent'));
    process.send(report, undefined, undefined, (error) => (error === null ? resolve() : reject(error)));
  });
}
