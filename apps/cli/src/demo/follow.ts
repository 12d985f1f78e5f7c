import { setTimeout as wait } from 'node:timers/promises';
import type { Exam, Submission } from '@evaluation/rest-contract';
import { bodyOf, type ApiClient } from './api.ts';

const OVER: ReadonlySet<Submission['status']> = new Set([
  'graded',
  'partially_graded',
  'failed',
  'cancelled',
]);

export const isOver = ({ status }: Submission): boolean => OVER.has(status);

export const followSubmission = async (
  api: ApiClient,
  submission: Submission,
  options: {
    baseUrl: string;
    mode: Exam['mode'];
    onReading: (submission: Submission) => void;
    signal: AbortSignal;
  },
): Promise<Submission> => {
  let current = submission;
  const interval = intervalMs(options.baseUrl, options.mode);
  for (;;) {
    options.onReading(current);
    if (isOver(current)) return current;
    await wait(interval, undefined, { signal: options.signal });
    current = bodyOf(
      await api.submissions.get({ params: { submissionId: submission.id } }),
      200,
      'The submission cannot be read',
    );
  }
};

const POLL_MS: Readonly<Record<Exam['mode'], number>> = { handwritten: 15_000, typed: 3000 };

/**
 * Polling interval. 500 ms is only for a service on the same machine. Other clients should poll a typed submission
 * every 2 to 5 seconds, backing off to 10, a handwritten one every 15 to 30 seconds, and use the feed for many
 * submissions (docs/api/conventions.md#polling).
 */
const intervalMs = (baseUrl: string, mode: Exam['mode']): number => {
  const { hostname } = new URL(baseUrl);
  if (['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return 500;
  return POLL_MS[mode];
};
