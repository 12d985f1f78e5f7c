import type { ChildProcess } from 'node:child_process';
import * as z from 'zod/v4';
import type { PageImage } from '../types.ts';
import { PdfUnreadable } from '../types.ts';
import { Job, Report, roleOf } from '../messages.ts';
import { keepIdle, takeIdle } from './idleChildren.ts';
import { startChild } from './startChild.ts';

// States of a child: starting (no "ready" yet) → working → settled (outcome known) → idle ("ready" again) or exited.
// The promise settles at "idle" or "exited", so that no child works after the call. A child that dies while starting
// is a fault of the installation (plain Error); a child that dies while working is a fault of the PDF
// (PdfUnreadable). When the parent dies, the child's watchdog ends the child.
//
// A child is used again only after a job that ended well and in which no native code read bytes of the upload (report
// "native"). The parent keeps count of the latter, because a child that was taken over by native code may say anything.

const START_SECONDS = 60;
const EXIT_GRACE_MILLISECONDS = 10_000;

type LastReport = Exclude<Report, { kind: 'page' | 'native' }>;

interface Limits {
  timeoutSeconds: number;
  signal?: AbortSignal;
}

interface Done {
  last: LastReport;
  /** In page order. */
  pages: PageImage[];
}

/** @throws PdfUnreadable when the work failed; the signal's reason when aborted; Error when no child started */
export const runChild = async (job: Job, limits: Limits): Promise<Done> => {
  const parsedJob = Job.parse(job);
  limits.signal?.throwIfAborted();
  const role = roleOf(job);
  const idle = takeIdle(role);
  if (idle !== undefined) {
    try {
      return await supervise(idle, true, parsedJob, limits);
    } catch (error) {
      // Only a new child rejects a file: an earlier job may have left garbage in this one, or it died while it was
      // idle.
      if (!(error instanceof PdfUnreadable) || error.code === 'timeout') throw error;
    }
  }
  return supervise(startChild(role), false, parsedJob, limits);
};

type Outcome = { report: LastReport } | { error: unknown };

const supervise = (child: ChildProcess, isReady: boolean, job: Job, limits: Limits): Promise<Done> => {
  const { promise, resolve, reject } = Promise.withResolvers<Done>();
  const pages: PageImage[] = [];
  let working = false;
  let mayServeAgain = true;
  let outcome: Outcome | undefined;
  let stderr = '';
  let timer: NodeJS.Timeout | undefined;

  const settle = (known: Outcome, graceMilliseconds: number) => {
    if (outcome !== undefined) return;
    outcome = known;
    clearTimeout(timer);
    if (graceMilliseconds === 0) child.kill('SIGKILL');
    else timer = setTimeout(() => child.kill('SIGKILL'), graceMilliseconds);
  };
  const fail = (error: unknown) => settle({ error }, 0);
  const abort = () => fail(limits.signal?.reason);
  const begin = () => {
    working = true;
    clearTimeout(timer);
    timer = setTimeout(
      () => fail(new PdfUnreadable('timeout', `not done within ${limits.timeoutSeconds} s`)),
      limits.timeoutSeconds * 1000,
    );
    // Send errors are ignored: a child that dies before it reads the job is reported by 'close'.
    child.send(job, () => {});
  };
  const onStderr = (text: string) => {
    stderr = (stderr + text).slice(-4000);
  };
  const onMessage = (message: unknown) => {
    const isReadyMessage = z.literal('ready').safeParse(message).success;
    if (outcome !== undefined) {
      if (isReadyMessage && mayServeAgain && 'report' in outcome) end('idle');
      return;
    }
    if (!working) {
      if (isReadyMessage) begin();
      else fail(new Error('the PDF process did not start'));
      return;
    }
    const report = Report.safeParse(message);
    if (!report.success) fail(new PdfUnreadable('unreadable', 'the PDF process sent an invalid message'));
    else if (report.data.kind === 'native') mayServeAgain = false;
    else if (report.data.kind === 'page') pages.push(report.data.page);
    else if (report.data.kind === 'failed') fail(new PdfUnreadable(report.data.code, report.data.message));
    else settle({ report: report.data }, EXIT_GRACE_MILLISECONDS);
  };
  const onError = (error: Error) => {
    // Without a process no 'close' follows; after a failed kill or send one does.
    if (child.pid === undefined) {
      end('closed', () => new Error('no PDF process could be started', { cause: error }));
    }
  };
  const onClose = (code: number | null, signal: NodeJS.Signals | null) =>
    end('closed', () =>
      working ? death(code, signal, stderr) : new Error(`the PDF process did not start: ${stderr}`),
    );
  const end = (how: 'idle' | 'closed', died: () => Error = () => new Error('no outcome')) => {
    clearTimeout(timer);
    limits.signal?.removeEventListener('abort', abort);
    child.stderr?.off('data', onStderr);
    child.off('message', onMessage);
    child.off('close', onClose);
    child.off('error', onError);
    if (how === 'idle') keepIdle(roleOf(job), child);
    if (outcome === undefined) reject(died());
    else if ('error' in outcome) reject(outcome.error);
    else resolve({ last: outcome.report, pages });
  };

  limits.signal?.addEventListener('abort', abort, { once: true });
  child.stderr?.on('data', onStderr);
  child.on('message', onMessage);
  child.on('error', onError);
  child.on('close', onClose);
  if (isReady) begin();
  else timer = setTimeout(() => fail(new Error('the PDF process did not start')), START_SECONDS * 1000);
  return promise;
};

/** SIGKILL from elsewhere than this process means that the watchdog or the kernel found the child too large. */
const death = (code: number | null, signal: NodeJS.Signals | null, stderr: string): PdfUnreadable => {
  if (signal === 'SIGKILL' || stderr.includes('out of memory')) {
    return new PdfUnreadable('out_of_memory', 'the PDF needs more memory than allowed');
  }
  return new PdfUnreadable('unreadable', `the PDF process died (${signal ?? code})`);
};
