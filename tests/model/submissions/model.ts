import { gradingError } from '@evaluation/rest-contract/grading-failures';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { advances, finalizeVerdict, finalStatus, verdictOn, type SubmissionChange } from '@evaluation/rules';
import {
  COPY_LABELS,
  LANE_OF,
  LONG_LABELS,
  type ExamName,
  type ModelRun,
  type ModelState,
  type ModelSubmission,
  type Operation,
  type ModelAnswer,
  type Outcome,
  type View,
} from './state.ts';

/*
 * A model of the service's behaviour without its implementation: a state of plain data, and one function that returns
 * each operation's answer and next state. It has no database, time or HTTP, so the outcome of simultaneous operations
 * can be compared with all of their orders.
 */

/** A run that lost this many workers is ended (docs/architecture.md#runs). */
export const MAX_DEAD_LEASES = 3;

export const isActive = ({ run }: ModelSubmission): boolean =>
  run.state === 'waiting' || run.state === 'held';
export const committed = (state: ModelState): number =>
  Object.values(state.submissions).reduce(
    (sum, submission) => sum + (isActive(submission) ? submission.quoted : 0),
    0,
  );
const liveOne = (state: ModelState, exam: ExamName, candidate: number): ModelSubmission | undefined =>
  Object.values(state.submissions).find(
    (submission) =>
      submission.state === 'live' && submission.exam === exam && submission.candidate === candidate,
  );

/** The answer and the next state of an operation. `before` is not changed. */
export const apply = (
  before: ModelState,
  operation: Operation,
): { state: ModelState; answer: ModelAnswer } => {
  const state = structuredClone(before);
  const answer = change(state, operation);
  return typeof answer === 'object' && 'code' in answer ? { state: before, answer } : { state, answer };
};

const change = (state: ModelState, operation: Operation): ModelAnswer => {
  switch (operation.do) {
    case 'create':
      return create(state, operation);
    case 'cancel':
    case 'delete':
    case 're_evaluate':
    case 'approve':
    case 'unfinalize':
      return changeSubmission(state, operation.do, submissionOf(state, operation.key));
    case 'override':
      return override(submissionOf(state, operation.key), operation.label);
    case 'finalize':
      return finalize(state, operation);
    case 'claim':
      return claim(state, operation);
    case 'step':
    case 'mark':
    case 'complete':
    case 'fail':
    case 'hand_back':
      return write(state, operation);
    case 'die': {
      const submission = submissionOf(state, operation.key);
      if (submission.attempts !== operation.attempt || submission.run.state !== 'held') return 'ok';
      waitAgain(submission.run);
      submission.run.deadLeases += 1;
      if (submission.run.deadLeases >= MAX_DEAD_LEASES) fail(submission, 'grading_failed');
      return 'ok';
    }
    case 'pass_deadline': {
      const submission = submissionOf(state, operation.key);
      if (submission.attempts === operation.attempt && isActive(submission)) fail(submission, 'timed_out');
      return 'ok';
    }
    case 'lose_message':
      return 'ok';
    case 'grant':
      state.balance += operation.credits;
      return 'ok';
  }
};

const create = (state: ModelState, operation: Extract<Operation, { do: 'create' }>): ModelAnswer => {
  const { key, exam, candidate } = operation;
  const live = liveOne(state, exam, candidate);
  if (live !== undefined) {
    if (!operation.replace) return refused('submission_exists', live.key);
    const verdict = verdictOn(live, 'replace');
    if (verdict !== 'allowed') return refused(verdict);
  }
  const upload = operation.upload === null ? undefined : state.uploads[operation.upload];
  if (upload !== undefined && upload.usedBy !== null) return refused('conflict');

  const asked = upload === undefined ? LONG_LABELS.slice(0, operation.longAnswers) : COPY_LABELS;
  const quoted = upload?.pages ?? asked.length;
  const freed = live !== undefined && isActive(live) ? live.quoted : 0;
  const unpaid = pay(state, quoted, freed);
  if (unpaid !== null) return unpaid;

  if (live !== undefined) {
    cancelRun(live);
    live.state = 'replaced';
    live.replacedBy = key;
  }
  if (upload !== undefined) upload.usedBy = key;
  const submission: ModelSubmission = {
    key,
    exam,
    candidate,
    asked,
    state: 'live',
    replacedBy: null,
    finalized: false,
    pages: upload?.pages ?? null,
    quoted,
    attempts: 0,
    overrides: [],
    ...begun(asked),
  };
  submission.attempts = 1;
  state.submissions[key] = submission;
  return { http: 202, shown: viewOf(submission) };
};

/** Fields of a submission when a run begins: without questions for the AI it is graded at once. */
const begun = (asked: readonly string[]) => {
  const isOver = asked.length === 0;
  return {
    status: isOver ? ('graded' as const) : ('queued' as const),
    charged: isOver ? 0 : null,
    error: null,
    isInQueue: !isOver,
    progress: isOver ? null : { done: 0, total: asked.length },
    hasEstimate: false,
    needsReview: false,
    // An approval applies to the marks of one run.
    approved: false,
    hasVersion: isOver,
    run: {
      state: isOver ? ('completed' as const) : ('waiting' as const),
      hold: null,
      wasClaimed: false,
      deadLeases: 0,
      marks: {},
    },
  };
};

const REFUSED: Record<string, number> = { insufficient_credits: 402, daily_quota_exceeded: 429 };
const refused = (code: string, existing: string | null = null): ModelAnswer => ({
  http: REFUSED[code] ?? 409,
  code,
  existing,
});

/** Credits before quota (docs/architecture.md#order-of-checks). @returns the refusal, or null when paid */
const pay = (state: ModelState, price: number, freed: number): ModelAnswer | null => {
  const available = state.balance + state.limit - committed(state) + freed;
  if (price > 0 && available < price) return refused('insufficient_credits');
  if (state.used >= state.quota) return refused('daily_quota_exceeded');
  state.used += 1;
  return null;
};

const changeSubmission = (
  state: ModelState,
  what: Exclude<SubmissionChange, 'replace' | 'override'>,
  submission: ModelSubmission,
): ModelAnswer => {
  const verdict = verdictOn(submission, what);
  if (verdict === 'done') return { http: 200, shown: viewOf(submission) };
  if (verdict !== 'allowed') return refused(verdict);
  switch (what) {
    case 'cancel':
      cancelRun(submission);
      return { http: 200, shown: viewOf(submission) };
    case 'delete':
      cancelRun(submission);
      submission.state = 'deleted';
      return { http: 200, deleted: submission.key };
    case 'approve':
      submission.approved = true;
      submission.needsReview = false;
      return { http: 200, shown: viewOf(submission) };
    case 'unfinalize':
      submission.finalized = false;
      return { http: 200, shown: viewOf(submission) };
    case 're_evaluate': {
      const unpaid = pay(state, submission.quoted, 0);
      if (unpaid !== null) return unpaid;
      Object.assign(submission, begun(submission.asked));
      submission.attempts += 1;
      return { http: 202, shown: viewOf(submission) };
    }
  }
};

/** A teacher's mark counts instead of the run's, also after later runs. */
const override = (submission: ModelSubmission, label: string): ModelAnswer => {
  const verdict = verdictOn(submission, 'override');
  if (verdict !== 'allowed') return refused(verdict);
  submission.overrides = [...new Set([...submission.overrides, label])].toSorted();
  showMarks(submission);
  return { http: 200, overridden: label };
};

const finalize = (
  state: ModelState,
  { exam, keys, allowPartial }: Extract<Operation, { do: 'finalize' }>,
): ModelAnswer => {
  const named =
    keys?.map((key) => submissionOf(state, key)) ??
    Object.values(state.submissions).filter((submission) => submission.exam === exam);
  const skipped: Record<string, string> = {};
  for (const submission of named) {
    const verdict = finalizeVerdict(submission, allowPartial);
    if (verdict === 'finalize') submission.finalized = true;
    else if (keys !== null) skipped[submission.key] = verdict;
  }
  return { http: 200, skipped };
};

/** An exam is final when it has live submissions and all of them are. */
export const isFinal = (state: ModelState, exam: ExamName): boolean => {
  const live = Object.values(state.submissions).filter((one) => one.exam === exam && one.state === 'live');
  return live.length > 0 && live.every(({ finalized }) => finalized);
};

const cancelRun = (submission: ModelSubmission): void => {
  if (!isActive(submission)) return;
  submission.run.state = 'cancelled';
  submission.run.hold = null;
  stand(submission, 'cancelled');
};

const fail = (submission: ModelSubmission, code: string): void => {
  submission.run.state = 'failed';
  submission.run.hold = null;
  submission.error = code;
  submission.needsReview = true;
  stand(submission, 'failed');
};

const waitAgain = (run: ModelRun): void => {
  run.state = 'waiting';
  run.hold = null;
};

const RUNNING: readonly string[] = ['processing', 'reading', 'grading'];
const stand = (submission: ModelSubmission, status: Submission['status']): void => {
  submission.status = status;
  submission.isInQueue = status === 'queued';
  submission.hasEstimate = RUNNING.includes(status);
};

/** A repeated message, or one after the end of the run, claims nothing (docs/architecture.md#runs). */
const claim = (
  state: ModelState,
  { key, attempt, hold }: Extract<Operation, { do: 'claim' }>,
): ModelAnswer => {
  const submission = submissionOf(state, key);
  if (submission.attempts !== attempt || submission.run.state !== 'waiting') return 'nothing';
  submission.run.state = 'held';
  submission.run.hold = hold;
  submission.run.wasClaimed = true;
  submission.hasVersion = true;
  const first = LANE_OF[submission.exam] === 'typed' ? 'grading' : 'processing';
  if (advances(submission.status, first)) stand(submission, first);
  state.holds[hold] = {
    key,
    attempt,
    open: submission.asked.filter((label) => submission.run.marks[label] === undefined),
  };
  return 'held';
};

const write = (
  state: ModelState,
  operation: Extract<Operation, { do: 'step' | 'mark' | 'complete' | 'fail' | 'hand_back' }>,
): ModelAnswer => {
  const held = state.holds[operation.hold];
  const submission = held === undefined ? undefined : submissionOf(state, held.key);
  if (submission === undefined || submission.run.hold !== operation.hold) return 'lost';
  switch (operation.do) {
    case 'step':
      if (advances(submission.status, operation.step)) stand(submission, operation.step);
      break;
    case 'mark':
      record(submission, { [operation.label]: operation.outcome });
      break;
    case 'complete':
      record(submission, operation.marks);
      complete(state, submission);
      break;
    case 'fail':
      fail(submission, gradingError(operation.reason).code);
      break;
    case 'hand_back':
      waitAgain(submission.run);
      break;
  }
  return 'ok';
};

/** Recording a question twice keeps the first mark. */
const record = (submission: ModelSubmission, marks: Record<string, Outcome>): void => {
  submission.run.marks = { ...marks, ...submission.run.marks };
  submission.progress = { done: Object.keys(submission.run.marks).length, total: submission.asked.length };
};

const complete = (state: ModelState, submission: ModelSubmission): void => {
  if (statusOf(submission, submission.run.marks) === 'failed') return fail(submission, 'grading_failed');
  submission.run.state = 'completed';
  submission.run.hold = null;
  submission.charged = submission.quoted;
  state.balance -= submission.quoted;
  showMarks(submission);
};

const statusOf = ({ asked, exam }: ModelSubmission, marks: Record<string, Outcome>) =>
  finalStatus([
    ...Object.values(marks).map((outcome) => ({
      status: outcome,
      source: outcome === 'graded' ? ('ai' as const) : null,
    })),
    ...(asked.length < LONG_LABELS.length ? [{ status: 'not_answered', source: null }] : []),
    ...(LANE_OF[exam] === 'typed' ? [{ status: 'graded', source: 'auto' as const }] : []),
  ]);

/** Status and flag that follow from the marks in force. */
const showMarks = (submission: ModelSubmission): void => {
  const marks = { ...submission.run.marks };
  for (const label of submission.overrides) marks[label] = 'graded';
  submission.needsReview = !submission.approved && Object.values(marks).includes('failed');
  stand(submission, statusOf(submission, marks));
};

export const submissionOf = (state: ModelState, key: string): ModelSubmission => {
  const found = state.submissions[key];
  if (found === undefined) throw new Error(`the model knows no submission ${key}`);
  return found;
};

export const viewOf = ({
  exam: _exam,
  candidate: _candidate,
  asked: _asked,
  run: _run,
  overrides: _overrides,
  approved: _approved,
  ...view
}: ModelSubmission): View => structuredClone(view);
