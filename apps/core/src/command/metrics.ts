import type { RunLane } from '@evaluation/jobs-contract';
import { metrics } from '@evaluation/platform/telemetry';
import type { Services } from './services.ts';

export const countCredits = (
  services: Pick<Services, 'afterCommit'>,
  outcome: 'reserved' | 'charged' | 'released' | 'granted',
  credits: number,
): Promise<void> =>
  services.afterCommit(async () => {
    metrics.creditsMoved.inc({ outcome }, credits);
  });

/** Counts a finished run after the commit. Each transition to a final state calls it once. */
export const countRun = (
  services: Pick<Services, 'afterCommit'>,
  lane: RunLane,
  outcome: 'completed' | 'failed' | 'cancelled',
): Promise<void> =>
  services.afterCommit(async () => {
    metrics.runsFinished.inc({ lane, outcome });
  });

/** Counts the questions of a run by status after the commit. Questions that were marked by their key are left out. */
export const countQuestions = (
  services: Pick<Services, 'afterCommit'>,
  lane: RunLane,
  questions: readonly { status: string; source: 'ai' | 'auto' | null }[],
): Promise<void> =>
  services.afterCommit(async () => {
    for (const { status, source } of questions)
      if (source !== 'auto') metrics.questionsFinished.inc({ lane, status });
  });

export const NOT_KEPT = ['refused', 'too_large'] as const;

/** Counts a part of the evidence that is missing although its mark is recorded. */
export const countLostEvidence = (reason: (typeof NOT_KEPT)[number]): void =>
  metrics.evidenceNotKept.inc({ reason });
