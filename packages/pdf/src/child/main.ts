import { once } from 'node:events';
import type { Job, Report } from '../messages.ts';
import { startWatchdog } from './watchdog.ts';

// Entry file of the child process, which does one job and exits. An error before "ready" is a fault of the
// installation and ends the process; a later error is reported as a failure of the PDF. The parent has parsed the
// job, so the child does not load zod to parse it again.

// Service managers signal all processes; only the parent (or the watchdog) ends a child.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const [kind = '', parentPid, maxResidentBytes] = process.argv.slice(2);
const perform = await load(kind);
await startWatchdog({ parentPid: Number(parentPid), bytes: Number(maxResidentBytes) });
process.once('disconnect', () => process.exit(1));

const received = once(process, 'message');
process.send?.('ready');
const [message] = await received;
try {
  await say(await perform(message));
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

/** Loads only the modules of the given kind of job. Without sharp and pdf-lib an inspection takes half the time. */
async function load(kindOfJob: string): Promise<(job: Job) => Promise<Report>> {
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
    default:
      throw new Error(`unknown job ${kindOfJob}`);
  }
}

function of<K extends Job['kind']>(job: Job, expected: K): Extract<Job, { kind: K }> {
  const isExpected = (each: Job): each is Extract<Job, { kind: K }> => each.kind === expected;
  if (!isExpected(job)) throw new Error(`expected a job ${expected}, received ${job.kind}`);
  return job;
}

/** Resolves when the report is written to the pipe, so that `process.exit` does not truncate it. */
function say(report: Report): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) return reject(new Error('started without a parent'));
    process.send(report, undefined, undefined, (error) => (error === null ? resolve() : reject(error)));
  });
}
