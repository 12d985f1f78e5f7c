import { on } from 'node:events';
import type { Job, Report, Role } from '../messages.ts';
import { startWatchdog } from './watchdog.ts';

// Entry file of a child process. The child sends "ready" and performs one job, again and again. It ends itself
// instead of a further "ready" when a job could influence the next one: after a failed job, after native code has
// read bytes of an upload, and above `MOST_IDLE_BYTES`. An error before the first "ready" is a fault of the
// installation and ends the process; a later error is reported as a failure of the PDF. The parent has parsed the
// job, so the child does not load zod to parse it again.

/** Resident memory. Above it, the garbage of earlier jobs could let an honest file exceed the child's limit. */
const MOST_IDLE_BYTES = 320 * 2 ** 20;

type Perform = (job: Job) => Promise<Report>;

let hasDecodedNatively = false;

const failure = (error: unknown): Report => {
  const text = error instanceof Error ? error.message : String(error);
  const outOfMemory = /out of memory|OOM|allocation failed/i.test(text);
  return {
    kind: 'failed',
    code: outOfMemory ? 'out_of_memory' : 'unreadable',
    message: text.slice(0, 500),
  };
};

/** Loads only the modules of the role. */
const load = (named: string): Promise<Perform> => {
  const roles = new Map<string, () => Promise<Perform>>(
    Object.entries({ read: loadReader, draw: loadDrawer } satisfies Record<Role, unknown>),
  );
  const loadRole = roles.get(named);
  if (loadRole === undefined) throw new Error(`unknown role ${named}`);
  return loadRole();
};

const loadDrawer = async (): Promise<Perform> => {
  const { draw } = await import('../checkedCopy/draw.ts');
  return async (job) => {
    if (job.kind !== 'draw') throw new Error(`unexpected job ${job.kind}`);
    return { kind: 'drawn', copy: await draw(job) };
  };
};

const loadReader = async (): Promise<Perform> => {
  const [{ inspect }, { extract }, { Pdfium }] = await Promise.all([
    import('../inspect.ts'),
    import('../pages/extract.ts'),
    import('../pdfium.ts'),
  ]);
  await Pdfium.compile();
  return async (job) => {
    if (job.kind === 'inspect') return { kind: 'inspected', inspection: await inspect(job.file) };
    if (job.kind !== 'extract') throw new Error(`unexpected job ${job.kind}`);
    await extract(job, { page: (page) => sendReport({ kind: 'page', page }), beforeNativeDecoding });
    return { kind: 'extracted' };
  };
};

const beforeNativeDecoding = async (): Promise<void> => {
  if (hasDecodedNatively) return;
  hasDecodedNatively = true;
  await sendReport({ kind: 'native' });
};

/** Resolves when the report is written to the pipe, so that `process.exit` does not truncate it. */
const sendReport = (report: Report): Promise<void> =>
  new Promise((resolve, reject) => {
    if (process.send === undefined) return reject(new Error('started without a parent'));
    process.send(report, undefined, undefined, (error) => (error === null ? resolve() : reject(error)));
  });

/** Collects garbage first if need be, which takes a tenth of the time in which a new child starts. */
const fitsIdle = (): boolean => {
  if (process.memoryUsage.rss() > MOST_IDLE_BYTES) globalThis.gc?.();
  return process.memoryUsage.rss() <= MOST_IDLE_BYTES;
};

// Service managers signal all processes; only the parent (or the watchdog) ends a child.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const [role = '', parentPid, maxResidentBytes] = process.argv.slice(2);
const perform = await load(role);
const watchdog = await startWatchdog({ parentPid: Number(parentPid), bytes: Number(maxResidentBytes) });
process.once('disconnect', () => process.exit(1));
const received = on(process, 'message');
for (;;) {
  process.send?.('ready');
  watchdog.watch('idle');
  const { value: [job] = [] } = await received.next();
  watchdog.watch('job');
  const report = await perform(job).catch(failure);
  await sendReport(report);
  if (report.kind === 'failed' || hasDecodedNatively || !fitsIdle()) break;
}
process.exit(0);
