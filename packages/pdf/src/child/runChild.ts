import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/v4';
import type { PageImage } from '../types.ts';
import { PdfUnreadable } from '../types.ts';
import { Job, Report } from '../messages.ts';

// States: starting (no "ready" yet) → working → settled (outcome known) → exited. The promise settles at "exited", so
// that no child outlives the call. A child that dies while starting is a fault of the installation (plain Error); a
// child that dies while working is a fault of the PDF (PdfUnreadable). When the parent dies, the child's watchdog
// ends the child.

const entry = fileURLToPath(new URL('main.ts', import.meta.url));
const startSeconds = 60;
const exitGraceMilliseconds = 2000;
/** Limit of the child's resident memory: V8, WASM and libvips together. */
const maxResidentBytes = 768 * 2 ** 20;

export type LastReport = Exclude<Report, { kind: 'page' }>;

/** @throws PdfUnreadable when the work failed; the signal's reason when aborted; Error when no child started */
export async function runChild(
  job: Job,
  limits: { timeoutSeconds: number; signal?: AbortSignal },
  onPage: (page: PageImage) => void,
): Promise<LastReport> {
  const parsedJob = Job.parse(job);
  limits.signal?.throwIfAborted();
  const child = fork(entry, [job.kind, String(process.pid), String(maxResidentBytes)], {
    // The child inherits neither flags nor the environment, which holds secrets.
    execArgv: ['--max-old-space-size=384', '--wasm-max-mem-pages=8192'],
    env: { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2', ...compileCache() },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'json',
    // Ctrl-C must reach the parent only, which drains. A child ended by it would make a good copy look damaged.
    detached: true,
  });
  return supervise(child, parsedJob, limits, onPage);
}

/** Passes the compile cache of this process on; without it a third of a child's CPU is compilation. */
function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

type Outcome = { report: LastReport } | { error: unknown };

function supervise(
  child: ChildProcess,
  job: Job,
  limits: { timeoutSeconds: number; signal?: AbortSignal },
  onPage: (page: PageImage) => void,
): Promise<LastReport> {
  const { promise, resolve, reject } = Promise.withResolvers<LastReport>();
  let working = false;
  let outcome: Outcome | undefined;
  let stderr = '';

  const settle = (known: Outcome, graceMilliseconds: number) => {
    if (outcome !== undefined) return;
    outcome = known;
    clearTimeout(timer);
    if (graceMilliseconds === 0) child.kill('SIGKILL');
    else timer = setTimeout(() => child.kill('SIGKILL'), graceMilliseconds);
  };
  const fail = (error: unknown) => settle({ error }, 0);
  const abort = () => fail(limits.signal?.reason);
  limits.signal?.addEventListener('abort', abort, { once: true });
  let timer = setTimeout(() => fail(new Error('the PDF process did not start')), startSeconds * 1000);

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4000);
  });
  child.on('message', (message) => {
    if (outcome !== undefined) return;
    if (!working) {
      if (!z.literal('ready').safeParse(message).success) {
        return fail(new Error('the PDF process did not start'));
      }
      working = true;
      clearTimeout(timer);
      timer = setTimeout(
        () => fail(new PdfUnreadable('timeout', `not done within ${limits.timeoutSeconds} s`)),
        limits.timeoutSeconds * 1000,
      );
      // Send errors are ignored: a child that dies before it reads the job is reported by 'close'.
      child.send(job, () => {});
      return;
    }
    const report = Report.safeParse(message);
    if (!report.success)
      return fail(new PdfUnreadable('unreadable', 'the PDF process sent an invalid message'));
    if (report.data.kind === 'page') {
      try {
        onPage(report.data.page);
      } catch (error) {
        fail(error);
      }
    } else if (report.data.kind === 'failed') {
      fail(new PdfUnreadable(report.data.code, report.data.message));
    } else {
      settle({ report: report.data }, exitGraceMilliseconds);
    }
  });
  let ended = false;
  const end = (died: () => Error) => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    limits.signal?.removeEventListener('abort', abort);
    if (outcome === undefined) reject(died());
    else if ('error' in outcome) reject(outcome.error);
    else resolve(outcome.report);
  };
  child.on('error', (error) => {
    // Without a process no 'close' follows; after a failed kill or send one does.
    if (child.pid === undefined) end(() => new Error('no PDF process could be started', { cause: error }));
  });
  child.on('close', (code, signal) =>
    end(() =>
      working ? death(code, signal, stderr) : new Error(`the PDF process did not start: ${stderr}`),
    ),
  );
  return promise;
}

/** SIGKILL from elsewhere than this process means that the watchdog or the kernel found the child too large. */
function death(code: number | null, signal: NodeJS.Signals | null, stderr: string): PdfUnreadable {
  if (signal === 'SIGKILL' || stderr.includes('out of memory')) {
    return new PdfUnreadable('out_of_memory', 'the PDF needs more memory than allowed');
  }
  return new PdfUnreadable('unreadable', `the PDF process died (${signal ?? code})`);
}
