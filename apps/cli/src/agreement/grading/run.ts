/**
 * Runs all tasks with bounded concurrency. State: the judgements made, in memory and in the results file. After a
 * crash, the next run reads the file and grades only the rest.
 */
import {
  addUsage,
  GraderFailure,
  NO_TABLE,
  resettleJudgement,
  type CallEvidence,
  type Grader,
  type Judgement,
  type Usage,
} from '@evaluation/grader';
import type { DataSet } from '../data/readData.ts';
import { AgreementFailure } from '../failure.ts';
import type { ResultsFile, Stored, StoredUsage } from './resultsFile.ts';
import { tasksOf, type Plan, type Task } from './tasks.ts';

export interface Outcome extends Omit<Task, 'request'> {
  /** null if the grader gave no judgement; `failure` is the reason. */
  result: Stored | null;
  failure: 'transient' | 'malformed' | 'unanswered' | null;
  reused: boolean;
  /** Usage of failed attempts in this run and earlier ones. */
  inVain: StoredUsage | undefined;
}

interface RunOptions {
  plan: Plan;
  identity: string;
  concurrency: number;
  /** Grades again even if the results file has the judgement. */
  fresh: boolean;
  signal: AbortSignal;
  onDone: () => void;
}

/**
 * Limit for one judgement with waits and retries; afterwards the answer counts as not graded, and the next run tries it
 * again.
 */
const MINUTES_PER_ANSWER = 10;
/** Number of consecutive failures after which the provider counts as down and the run ends. */
const GIVE_UP_AFTER = 5;

/** @throws AgreementFailure if the grader refuses or is down; the signal's reason when aborted */
export const runTasks = async (
  data: DataSet,
  grader: Grader,
  results: ResultsFile,
  options: RunOptions,
): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const tasks = tasksOf(data, options.plan, grader, options.identity);
  let failedInARow = 0;

  const settle = async (task: Task): Promise<Outcome> => {
    const { facts, kind, turn, key } = task;
    const kept = options.fresh || grader.judgementKey(task.request) === null ? undefined : results.get(key);
    const outcome = (what: Pick<Outcome, 'result' | 'failure' | 'reused'>): Outcome => {
      return { facts, kind, turn, key, inVain: results.inVain(key), ...what };
    };
    if (kept !== undefined) return outcome({ result: kept, failure: null, reused: true });
    try {
      const result = await judge(task, grader, signal);
      await results.add(result);
      failedInARow = 0;
      return outcome({ result, failure: null, reused: false });
    } catch (error) {
      if (!(error instanceof GraderFailure)) throw error;
      if (error.spent.length > 0) {
        await results.addInVain(key, storedUsage(error.spent.map((each) => each.usage).reduce(addUsage)));
      }
      if (error.kind === 'permanent') throw error;
      // A malformed reply shows that the provider is up.
      failedInARow = error.kind === 'malformed' ? 0 : failedInARow + 1;
      if (failedInARow >= GIVE_UP_AFTER) throw error;
      return outcome({ result: null, failure: error.kind, reused: false });
    }
  };

  const work = async (): Promise<void> => {
    for (;;) {
      signal.throwIfAborted();
      const { value: task, done } = await tasks.next();
      if (done === true) return;
      outcomes.push(await settle(task));
      options.onDone();
    }
  };

  const workers = Array.from({ length: options.concurrency }, () =>
    work().catch((error: unknown) => {
      stop.abort(error);
      throw error;
    }),
  );
  const ended = await Promise.allSettled(workers);
  options.signal.throwIfAborted();
  if (stop.signal.aborted) throw readable(stop.signal.reason);
  if (ended.some(({ status }) => status === 'rejected')) throw new Error('a worker failed without a reason');
  return outcomes.toSorted((a, b) => a.facts.line - b.facts.line);
};

const judge = async (task: Task, grader: Grader, run: AbortSignal): Promise<Stored> => {
  // A separate signal per answer: the grader tells runs apart by them, and pauses its calls when several runs find the
  // provider down.
  const signal = AbortSignal.any([run]);
  const deadline = new Date(Date.now() + MINUTES_PER_ANSWER * 60_000);
  const { value, usage, evidence } = await grader.judgeAnswer(task.request, { signal, deadline });
  return {
    key: task.key,
    line: task.facts.line,
    question_id: task.facts.questionId,
    kind: task.kind,
    turn: task.turn,
    awarded: value.awarded,
    confidence: value.confidence,
    ...rawConfidence(task, value, evidence, grader),
    review_reasons: value.reviewReasons,
    prompt_versions: [...new Set(evidence.map(({ promptVersion }) => promptVersion))],
    usage: storedUsage(usage),
  };
};

const storedUsage = (usage: Usage): StoredUsage => ({
  calls: usage.calls,
  input_tokens: usage.inputTokens,
  cached_input_tokens: usage.cachedInputTokens,
  output_tokens: usage.outputTokens,
  duration_ms: usage.durationMs,
});

/**
 * Table that leaves every confidence unchanged. If a certain judgement gets less than 1 under it, a rule limits the
 * confidence.
 */
const FULL_TABLE = '0:1,1:1';

/** Computes the confidence from the same replies under other tables, without a model call. */
const rawConfidence = (
  { request }: Task,
  judgement: Judgement,
  evidence: readonly CallEvidence[],
  grader: Grader,
): { raw_confidence: number; held: boolean } => {
  // The baseline has no confidence table.
  if (grader.provider === 'baseline') return { raw_confidence: judgement.confidence, held: false };
  const under = (table: string): number =>
    resettleJudgement(
      request,
      evidence.map((each) => ({ ...each, settings: { ...each.settings, confidence_table: table } })),
    ).confidence;
  return { raw_confidence: under(NO_TABLE), held: under(FULL_TABLE) < 1 };
};

const readable = (error: unknown): unknown =>
  error instanceof GraderFailure
    ? new AgreementFailure(
        `The grader gave up: ${error.message}. Finished judgements are kept; run the same command again to resume.`,
      )
    : error;
