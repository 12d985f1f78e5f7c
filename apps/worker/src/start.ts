import { hostname } from 'node:os';
import type { CoreAccess } from '@evaluation/core-client';
import { createGrader } from '@evaluation/grader';
import { openLanes } from '@evaluation/lanes';
import type { WorkerSettings } from '@evaluation/settings';
import { createLogger } from '@evaluation/telemetry';
import { inspectUpload } from './inspect/inspectUpload.ts';
import { gradeRun } from './run/gradeRun.ts';
import { holdRun, RunLost, type HeldRun } from './run/heldRun.ts';
import type { Tools } from './run/tools.ts';
import { removeAbandonedFolders } from './workFolder.ts';

export interface Worker {
  /**
   * Takes no new job, finishes those in hand, and disconnects. What is not finished within the drain time is handed
   * back and delivered again.
   */
  close(): Promise<void>;
}

/**
 * Starts a worker on its lanes. It holds no state that matters: every message it took is claimed in PostgreSQL before
 * it is acknowledged, and every result is recorded as it is made. Kill it at any moment.
 */
export const startWorker = async (settings: WorkerSettings, core: CoreAccess): Promise<Worker> => {
  const log = createLogger({ service: 'worker', level: settings.logLevel });
  const lanes = openLanes({
    ...settings.lanes,
    name: 'worker',
    onProgress: (event, details) => log.info(details, event),
  });
  await removeAbandonedFolders();
  const grader = await createGrader(settings.grader);
  if (grader.notice !== null) log.warn({ provider: grader.provider }, grader.notice);
  const tools: Tools = { grader, settings, log };
  const name = `${hostname()}/${process.pid}`;
  const stopping = new AbortController();
  const letGo = new AbortController();
  const heldRuns = new Set<HeldRun>();

  // A cancelled or replaced copy: stop paying for it now, not at the next write.
  const unsubscribe = lanes.onBroadcast('run_stopped', ({ run_id, fence }) => {
    for (const { material, stop } of heldRuns) {
      if (material.run_id === run_id && material.fence < fence) stop(new RunLost());
    }
  });

  const pullRuns = (lane: 'copy' | 'typed') =>
    lanes.pull(lane, {
      concurrency: settings.concurrency[lane],
      signal: stopping.signal,
      handle: async ({ run_id, institute_id }, { ack }) => {
        const material = await core
          .as({ requestId: run_id })
          .grading.claim.mutate({ run_id, institute_id, worker: name });
        ack();
        if (material === null) return;
        const run = holdRun(core, material, log);
        heldRuns.add(run);
        try {
          // The claim was under way when the drain time ran out.
          await (letGo.signal.aborted ? run.handBack() : gradeRun(tools, run));
        } finally {
          run.letGo();
          heldRuns.delete(run);
        }
      },
    });

  const pullInspections = () =>
    lanes.pull('inspect', {
      concurrency: settings.concurrency.inspect,
      signal: stopping.signal,
      handle: (job, { ack }) =>
        inspectUpload(core, job, {
          timeoutSeconds: settings.inspectSeconds,
          signal: letGo.signal,
          onClaimed: ack,
        }),
    });

  const pulling = Promise.all([
    ...(settings.concurrency.copy > 0 ? [pullRuns('copy')] : []),
    ...(settings.concurrency.typed > 0 ? [pullRuns('typed')] : []),
    ...(settings.concurrency.inspect > 0 ? [pullInspections()] : []),
  ]);

  return {
    close: async () => {
      stopping.abort();
      const handingBack: Promise<void>[] = [];
      const giveUp = setTimeout(() => {
        letGo.abort();
        for (const run of heldRuns) handingBack.push(run.handBack());
      }, settings.drainSeconds * 1000);
      await pulling;
      clearTimeout(giveUp);
      await Promise.all(handingBack);
      unsubscribe();
      await grader.close();
      await lanes.close();
    },
  };
};
