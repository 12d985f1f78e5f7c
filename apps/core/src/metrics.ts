import type { RunLane } from '@evaluation/jobs-contract';
import { metrics } from '@evaluation/telemetry';
import type { Services } from './services.ts';

/** Counts credits once the change of them is committed. */
export const countCredits = (
  services: Pick<Services, 'afterCommit'>,
  outcome: 'reserved' | 'charged' | 'released' | 'granted',
  credits: number,
): Promise<void> =>
  services.afterCommit(async () => {
    metrics.creditsMoved.inc({ outcome }, credits);
  });

/** Counts a run that is over once that is committed: each run once, whoever ended it. */
export const countRun = (
  services: Pick<Services, 'afterCommit'>,
  lane: RunLane,
  outcome: 'completed' | 'failed' | 'cancelled',
): Promise<void> =>
  services.afterCommit(async () => {
    metrics.runsFinished.inc({ lane, outcome });
  });

/** Counts, once that is committed, what became of the questions of a run; without those that were marked by their key. */
export const countQuestions = (
  services: Pick<Services, 'afterCommit'>,
  lane: RunLane,
  questions: readonly { status: string; source: 'ai' | 'auto' | null }[],
): Promise<void> =>
  services.afterCommit(async () => {
    for (const { status, source } of questions)
      if (source !== 'auto') metrics.questionsFinished.inc({ lane, status });
  });

/** Why a part of the evidence is not kept. */
export const NOT_KEPT = ['refused', 'too_large'] as const;

/** Counts a part of the evidence that a mark is recorded without. */
export const countLostEvidence = (reason: (typeof NOT_KEPT)[number]): void =>
  metrics.evidenceNotKept.inc({ reason });
