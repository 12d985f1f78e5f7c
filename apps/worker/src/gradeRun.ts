import { GraderFailure, type UnavailableReason } from '@evaluation/grader';
import { runLanes } from '@evaluation/jobs-contract';
import { PdfUnreadable } from '@evaluation/pdf';
import type { GradingFailure } from '@evaluation/rest-contract/grading-failures';
import { continueTrace, describeSpan, inSpan, metrics, SpanKind } from '@evaluation/platform/telemetry';
import { gradeCopy } from './copy/gradeCopy.ts';
import { unreadableCopy } from './copy/unreadable.ts';
import { gradeTyped } from './typed/gradeTyped.ts';
import type { LaneGate } from './preflight/laneGate.ts';
import { ModelUnavailable } from './preflight/modelUnavailable.ts';
import { RunLost, type HeldRun } from './run/heldRun.ts';
import { isOutOfTime } from './run/outOfTime.ts';
import { NotGradable, type Tools } from './run/tools.ts';
import { countUsage, type UsageCount } from './run/usage.ts';

type End = 'completed' | 'failed' | 'lost' | 'broken';

/**
 * Grades a run to its end: complete, failed, or lost to another worker. Throws only on a bug. Continues the trace of
 * the request that created the run.
 */
export const gradeRun = async (
  /** `gate`: checked before the run is graded. */
  tools: Tools & { gate: Pick<LaneGate, 'passed' | 'reason'> },
  run: HeldRun,
): Promise<void> => {
  const { lane, run_id, institute_id, traceparent } = run.material;
  const usage = countUsage(tools.grader, tools.settings.prices, run.material.used, lane);
  const started = performance.now();
  let outcome: End = 'broken';
  try {
    await inSpan(
      `grade ${lane}`,
      { 'evaluation.run_id': run_id, 'evaluation.institute_id': institute_id, 'evaluation.lane': lane },
      async () => {
        outcome = await grade(tools, run, usage);
        describeSpan({ 'evaluation.outcome': outcome }, { failed: outcome === 'failed' });
      },
      { kind: SpanKind.CONSUMER, parent: continueTrace(traceparent) },
    );
  } finally {
    metrics.runDuration.observe({ lane, outcome }, (performance.now() - started) / 1000);
  }
};

const grade = async (
  tools: Parameters<typeof gradeRun>[0],
  run: HeldRun,
  usage: UsageCount,
): Promise<End> => {
  run.records.reportUsage(() => usage.sofar());
  let begun = performance.now();
  try {
    await tools.gate.passed(run);
    begun = performance.now();
    await (runLanes[run.material.lane].grades === 'pages'
      ? gradeCopy(tools, run, usage)
      : gradeTyped(tools, run, usage));
    return 'completed';
  } catch (error) {
    if (run.signal.aborted || error instanceof RunLost) return 'lost';
    const reason = failureOf(error, run, tools.gate.reason() ?? tools.grader.trouble);
    const seconds = Math.min((performance.now() - begun) / 1000, tools.settings.pdfSeconds);
    tools.log.warn({ err: error, run_id: run.material.run_id, reason }, 'run failed');
    try {
      await recordWhatIsMade(run);
      await run.write((grading, held) =>
        grading.fail.mutate({
          held,
          reason,
          used: usage.sofar(),
          ...(hasExhausted(error) && { exhausted_seconds: seconds }),
        }),
      );
      return 'failed';
    } catch (refused) {
      if (!(refused instanceof RunLost) && !run.signal.aborted) throw refused;
      return 'lost';
    }
  }
};

/** Judgements of a failed run are cached for later runs. A batch that core refuses is lost. */
const recordWhatIsMade = async (run: HeldRun): Promise<void> => {
  try {
    await run.records.flush();
  } catch (error) {
    if (error instanceof RunLost) throw error;
  }
};

/** Opening the copy exhausted the time or memory of one file, which counts against the institute's day. */
const hasExhausted = (error: unknown): boolean =>
  error instanceof PdfUnreadable && error.code !== 'unreadable';

/** @param trouble current trouble of the endpoint; it is reported as the cause if time ran out */
const failureOf = (error: unknown, run: HeldRun, trouble: UnavailableReason | null): GradingFailure => {
  if (error instanceof ModelUnavailable) return `model_${error.reason}`;
  if (error instanceof NotGradable) return error.reason;
  if (error instanceof PdfUnreadable) return unreadableCopy(error);
  if (isOutOfTime(error, run)) return trouble === null ? 'timed_out' : `model_${trouble}`;
  return error instanceof GraderFailure ? 'model_failed' : 'broke_down';
};
