import { hostname } from 'node:os';
import type { CoreAccess, RunMaterial } from '@evaluation/core-client';
import { createGrader, createEndpointPause, lanePreflight, NotWanted } from '@evaluation/grader';
import {
  forEachRunLane,
  forEachRunLaneInOrder,
  LANES,
  RUN_LANES,
  type Lane,
  type RunLane,
} from '@evaluation/jobs-contract';
import { openLanes } from '@evaluation/lanes';
import { endIdleChildren } from '@evaluation/pdf';
import type { WorkerSettings } from '@evaluation/platform/settings';
import { createLogger, inSpan, metrics, type Observed } from '@evaluation/platform/telemetry';
import { drawAgain } from './draw/drawAgain.ts';
import { inspectUpload } from './inspect/inspectUpload.ts';
import { openLaneGate, type LaneGate } from './preflight/laneGate.ts';
import { gradeRun } from './gradeRun.ts';
import { holdRun, type HeldRun } from './run/heldRun.ts';
import type { Tools } from './run/tools.ts';
import { costOf } from './run/usage.ts';
import { checkWorkFolder, removeAbandonedFolders } from './workFolder.ts';

/** Events of a lane after which a job waits or is lost. */
const BROKEN_JOBS: ReadonlySet<string> = new Set([
  'lane.handler_failed',
  'lane.message_dropped',
  'lane.unreadable_message',
]);

interface Worker extends Observed {
  /**
   * Takes no new job, finishes those in progress, and disconnects. Jobs not finished within the drain time are handed
   * back and delivered again.
   */
  close(): Promise<void>;
  describeGrader(): string[];
  readonly firstChecks: Promise<void>;
  /** Lines for the console: the lanes that take no runs, with the reason. */
  notes: () => readonly string[];
}

/**
 * Starts a worker on its lanes. The worker may be killed at any moment: each message is claimed in PostgreSQL before it
 * is acknowledged, and each result is recorded when it is made.
 */
export const startWorker = async (settings: WorkerSettings, core: CoreAccess): Promise<Worker> => {
  const log = createLogger({ service: 'worker', level: settings.logLevel });
  const lanes = openLanes({
    ...settings.lanes,
    name: 'worker',
    onProgress: (event, details) => {
      if (!BROKEN_JOBS.has(event)) return log.info(details, event);
      if (event === 'lane.handler_failed') metrics.jobsFailed.inc({ lane: String(details['lane']) });
      return log.warn(details, event);
    },
  });
  // First, because abandoned folders may have filled the disk.
  await removeAbandonedFolders();
  await checkWorkFolder();
  // One grader per lane, each with its own limit of concurrent calls, so that a backlog of copies does not delay typed
  // answers. A pause that the endpoint asks for applies to both lanes.
  const pause = createEndpointPause();
  const newTools = async (lane: RunLane): Promise<Tools & { gate: LaneGate }> => {
    const grader = await createGrader(
      settings.grader.provider === 'openai'
        ? {
            ...settings.grader,
            pause,
            maxConcurrentCalls: settings.modelCalls[lane],
            lane,
            log,
            check: { isPassed: () => gate.isOpen(), passed: async (signal) => await gate.opened(signal) },
            onLost: () => gate.checkAgain(),
            onProgress: (event, details) => {
              log.warn({ ...details, lane }, event);
              metrics.providerUp.set({ lane }, event === 'provider.up' ? 1 : 0);
              if (event === 'provider.up') gate.checkAgain();
            },
          }
        : settings.grader,
    );
    const gate = openLaneGate({
      lane,
      grader,
      request: asksModel(lane) ? lanePreflight(lane) : null,
      log,
      onUsed: (usage) => {
        const cost = costOf(usage, grader.model, settings.prices);
        if (cost !== null) metrics.modelCost.inc({ lane, currency: cost.currency }, Number(cost.amount));
      },
    });
    return { grader, gate, settings, log };
  };
  const asksModel = (lane: RunLane): boolean =>
    settings.grader.provider === 'openai' && settings.preflight && settings.concurrency[lane] > 0;
  // Sets no metric for a lane that this worker does not serve.
  for (const lane of RUN_LANES) if (settings.concurrency[lane] > 0) metrics.providerUp.set({ lane }, 1);
  const tools = await forEachRunLaneInOrder(newTools);
  const { notice, provider } = tools.copy.grader;
  if (notice !== null) log.warn({ provider }, notice);
  const name = `${hostname()}/${process.pid}`;
  const stopping = new AbortController();
  const drainEnded = new AbortController();
  const heldRuns = new Set<HeldRun>();

  // Aborts the model calls of a stopped run at once instead of at its next write.
  const unsubscribe = lanes.onBroadcast('run_stopped', ({ run_id, fence }) => {
    for (const { material, stop } of heldRuns) {
      if (material.run_id === run_id && material.fence < fence) stop(new NotWanted());
    }
  });

  const gradeClaimed = async (lane: RunLane, material: RunMaterial): Promise<void> => {
    const ofInstitute = log.child({ institute_id: material.institute_id });
    const run = holdRun(core, material, ofInstitute);
    heldRuns.add(run);
    try {
      // The drain time ended during the claim.
      await (drainEnded.signal.aborted
        ? run.handBack()
        : gradeRun({ ...tools[lane], log: ofInstitute }, run));
    } finally {
      run.close();
      heldRuns.delete(run);
    }
  };

  const pullRuns = (lane: RunLane) =>
    lanes.pull(lane, {
      concurrency: settings.concurrency[lane],
      signal: stopping.signal,
      // While the model does not answer or its quota is used up, runs stay queued, because their time begins with the
      // claim.
      mayTake: (signal) => tools[lane].gate.mayTakeRun(signal),
      handle: async ({ run_id, institute_id }, { ack }) => {
        tools[lane].gate.begin();
        const material = await core
          .as({ requestId: run_id })
          .grading.claim.mutate({ run_id, institute_id, worker: name });
        ack();
        if (material !== null) await gradeClaimed(lane, material);
      },
    });

  const pullInspections = () =>
    lanes.pull('inspect', {
      concurrency: settings.concurrency.inspect,
      signal: stopping.signal,
      handle: (job, { ack }) =>
        inSpan(
          'inspect upload',
          { 'evaluation.upload_id': job.upload_id, 'evaluation.institute_id': job.institute_id },
          () =>
            inspectUpload(core, job, {
              timeoutSeconds: settings.inspectSeconds,
              signal: drainEnded.signal,
              onClaimed: ack,
            }),
        ),
    });

  const pullDrawings = () =>
    lanes.pull('draw', {
      concurrency: settings.concurrency.draw,
      signal: stopping.signal,
      handle: (job, { ack }) =>
        inSpan(
          'draw checked copy',
          { 'evaluation.submission_id': job.submission_id, 'evaluation.institute_id': job.institute_id },
          () =>
            drawAgain(core, job, {
              pdfSeconds: settings.pdfSeconds,
              log: log.child({ institute_id: job.institute_id }),
              signal: drainEnded.signal,
              onClaimed: ack,
            }),
        ),
    });

  const pullers: Readonly<Record<Lane, () => Promise<void>>> = {
    ...forEachRunLane((lane) => () => pullRuns(lane)),
    inspect: pullInspections,
    draw: pullDrawings,
  };
  const pulling = Promise.all(
    LANES.filter((lane) => settings.concurrency[lane] > 0).map((lane) => pullers[lane]()),
  );

  const describeGrader = (): string[] => {
    if (settings.grader.provider === 'baseline') return ['grader baseline (offline)'];
    const { model, baseUrl } = settings.grader;
    return [
      `grader openai, model ${model} at ${new URL(baseUrl).origin}`,
      ...RUN_LANES.filter((lane) => settings.concurrency[lane] > 0).map(
        (lane) => `${lane} lane ${settings.preflight ? tools[lane].gate.describe() : 'not checked'}`,
      ),
    ];
  };

  return {
    describeGrader,
    firstChecks: Promise.all(RUN_LANES.map((lane) => tools[lane].gate.firstCheck)).then(() => {}),
    notes: () =>
      RUN_LANES.flatMap((lane) =>
        tools[lane].gate.isShut() ? [`${lane} lane ${tools[lane].gate.describe()}`] : [],
      ),
    dependencies: {
      core: () => core.ping(),
      lanes: async () => void (await lanes.depth('copy')),
      temporary_folder: checkWorkFolder,
    },
    close: async () => {
      stopping.abort();
      const handingBack: Promise<void>[] = [];
      const giveUp = setTimeout(() => {
        drainEnded.abort();
        for (const run of heldRuns) handingBack.push(run.handBack());
      }, settings.drainSeconds * 1000);
      await pulling;
      endIdleChildren();
      clearTimeout(giveUp);
      await Promise.all(handingBack);
      unsubscribe();
      await Promise.all(RUN_LANES.map((lane) => tools[lane].gate.close()));
      await Promise.all(RUN_LANES.map((lane) => tools[lane].grader.close()));
      await lanes.close();
    },
  };
};
