import { isActive, MAX_DEAD_LEASES } from './model.ts';
import {
  LANE_OF,
  LONG_LABELS,
  type ModelState,
  type ModelSubmission,
  type Operation,
  type Outcome,
} from './state.ts';
import { HELD_SUBMISSION, type Intent } from './intents.ts';

type Namer = (kind: string) => string;

/**
 * The operations by which an intent becomes possible in a state, and the operation itself; null if it is not
 * applicable.
 * @param isAlone whether no other operation runs at the same time
 */
export const resolveIntent = (
  state: ModelState,
  intent: Intent,
  name: Namer,
  isAlone: boolean,
): { first: Operation[]; last: Operation } | null => {
  const all = Object.values(state.submissions);
  const live = all.filter((submission) => submission.state === 'live');
  const withoutPreparation = (last: Operation) => ({ first: [], last });
  switch (intent.do) {
    case 'create':
      return withoutPreparation(creation(state, intent, name('submission')));
    case 'cancel':
    case 'delete':
    case 're_evaluate': {
      // Sometimes a replaced or deleted submission.
      const submission =
        intent.at === HELD_SUBMISSION
          ? pick(live.filter(isHeld), 0)
          : pick(intent.at % 4 === 3 || live.length === 0 ? all : live, intent.at);
      return submission === null
        ? null
        : withoutPreparation({ do: intent.do, client: intent.client, key: submission.key });
    }
    case 'approve':
    case 'unfinalize':
    case 'override': {
      const marked = live.filter(({ status }) => ['graded', 'partially_graded'].includes(status));
      const submission = pick(intent.at % 4 === 3 || marked.length === 0 ? all : marked, intent.at);
      if (submission === null) return null;
      const { client, do: what } = intent;
      if (what !== 'override') return withoutPreparation({ do: what, client, key: submission.key });
      const label = pick(submission.asked, intent.label);
      const { key, exam } = submission;
      return label === null ? null : withoutPreparation({ do: what, client, key, exam, label });
    }
    case 'finalize': {
      const { client, exam, allowPartial } = intent;
      // Some of the exam's submissions, live or not.
      const keys = all.flatMap((one, index) =>
        one.exam === exam && (one.state === 'live' || (intent.at + index) % 4 === 0) ? [one.key] : [],
      );
      const names = intent.names && keys.length > 0;
      return withoutPreparation({ do: 'finalize', client, exam, keys: names ? keys : null, allowPartial });
    }
    case 'claim': {
      const submission = pick(all.filter(isWaiting), intent.at);
      return submission === null ? null : withoutPreparation(claimOf(submission, name));
    }
    case 'late_message': {
      // A held run may be handed back at the same time, so its message may be late or not.
      const late = all.filter(({ run }) => run.state !== 'waiting' && (isAlone || run.state !== 'held'));
      const submission = pick(late, intent.at);
      return submission === null ? null : withoutPreparation(claimOf(submission, name));
    }
    case 'die': {
      const submission = pick(all.filter(isHeld), intent.at);
      return submission === null
        ? null
        : withoutPreparation({ do: 'die', key: submission.key, attempt: submission.attempts });
    }
    case 'wear_out': {
      // The run loses one worker after the other, until core ends it.
      const submission = pick(all.filter(isHeld), intent.at);
      if (submission === null) return null;
      const die: Operation = { do: 'die', key: submission.key, attempt: submission.attempts };
      const lives = Array.from({ length: MAX_DEAD_LEASES - submission.run.deadLeases - 1 }, () => [
        die,
        claimOf(submission, name),
      ]);
      return { first: lives.flat(), last: die };
    }
    case 'interrupt': {
      // Hand over: the recorded step stays, the next worker continues, and the first one's write is refused.
      const submission = pick(all.filter(isHeld), intent.at);
      const hold = submission?.run.hold ?? '';
      return submission === null
        ? null
        : {
            first: [
              { do: 'step', hold, step: 'grading' },
              { do: 'hand_back', hold },
              claimOf(submission, name),
            ],
            last: { do: 'fail', hold, reason: 'nothing_readable' },
          };
    }
    case 'repeat_mark': {
      const submission = pick(all.filter(isHeld), intent.at);
      const hold = submission?.run.hold ?? '';
      const label = state.holds[hold]?.open[0];
      if (label === undefined) return null;
      const mark = (as: Outcome): Operation => ({ do: 'mark', hold, label, outcome: as });
      return { first: [mark('graded')], last: mark('failed') };
    }
    case 'pass_deadline': {
      const begun = all.filter((submission) => isActive(submission) && submission.run.wasClaimed);
      const submission = pick(begun, intent.at);
      return submission === null
        ? null
        : withoutPreparation({ do: 'pass_deadline', key: submission.key, attempt: submission.attempts });
    }
    case 'lose_message': {
      const submission = pick(all.filter(isWaiting), intent.at);
      return submission === null
        ? null
        : withoutPreparation({ do: 'lose_message', key: submission.key, attempt: submission.attempts });
    }
    case 'grant':
      return withoutPreparation({ do: 'grant', credits: intent.credits });
    case 'stale': {
      const lost = Object.entries(state.holds).filter(
        ([hold, { key }]) => state.submissions[key]?.run.hold !== hold,
      );
      const [hold, { open }] = pick(lost, intent.at) ?? ['', { open: [] }];
      if (hold === '') return null;
      const label = open[0];
      if (intent.write === 'step') return withoutPreparation({ do: 'step', hold, step: 'grading' });
      if (intent.write === 'fail')
        return withoutPreparation({ do: 'fail', hold, reason: 'nothing_readable' });
      if (intent.write === 'hand_back') return withoutPreparation({ do: 'hand_back', hold });
      if (intent.write === 'complete')
        return withoutPreparation({ do: 'complete', hold, marks: marksFor(open, 'graded') });
      return label === undefined ? null : withoutPreparation({ do: 'mark', hold, label, outcome: 'graded' });
    }
    default: {
      const submission = pick(all.filter(isHeld), intent.at);
      return submission === null ? null : workerOperation(state, submission, intent);
    }
  }
};

const pick = <T>(from: readonly T[], at: number): T | null => from[at % from.length] ?? null;
const isWaiting = ({ run }: ModelSubmission): boolean => run.state === 'waiting';
const isHeld = ({ run }: ModelSubmission): boolean => run.state === 'held';
export const claimOf = ({ key, attempts }: ModelSubmission, name: Namer): Operation => ({
  do: 'claim',
  key,
  attempt: attempts,
  hold: name('hold'),
});

const creation = (state: ModelState, intent: Extract<Intent, { do: 'create' }>, key: string): Operation => {
  const { do: what, client: by, exam, candidate, replace } = intent;
  const common = { do: what, client: by, exam, candidate, replace, key };
  if (LANE_OF[exam] === 'typed') {
    return { ...common, upload: null, longAnswers: Math.min(intent.longAnswers, LONG_LABELS.length) };
  }
  const used: number[] = [];
  const free: number[] = [];
  for (const [index, { usedBy }] of state.uploads.entries()) (usedBy === null ? free : used).push(index);
  // An upload that is already used, which must be refused.
  const upload = intent.upload < 0 ? used.at(-1) : free[intent.upload];
  return { ...common, upload: upload ?? free[0] ?? 0, longAnswers: 0 };
};

const workerOperation = (
  state: ModelState,
  submission: ModelSubmission,
  intent: Extract<Intent, { do: 'step' | 'mark' | 'complete' | 'fail' | 'hand_back' }>,
): { first: Operation[]; last: Operation } | null => {
  const hold = submission.run.hold ?? '';
  const open = state.holds[hold]?.open ?? [];
  switch (intent.do) {
    case 'step': {
      const step = LANE_OF[submission.exam] === 'typed' ? 'grading' : intent.step;
      return { first: [], last: { do: 'step', hold, step } };
    }
    case 'mark': {
      const label = pick(open, intent.label);
      return label === null
        ? null
        : { first: [], last: { do: 'mark', hold, label, outcome: intent.outcome } };
    }
    case 'complete':
      return { first: [], last: completionOf(submission, intent.outcome) };
    case 'fail':
      return { first: [], last: { do: 'fail', hold, reason: intent.reason } };
    case 'hand_back':
      return { first: [], last: { do: 'hand_back', hold } };
  }
};

/** The worker completes the run with the marks that are missing. */
export const completionOf = ({ asked, run }: ModelSubmission, as: Outcome): Operation => ({
  do: 'complete',
  hold: run.hold ?? '',
  marks: marksFor(
    asked.filter((label) => run.marks[label] === undefined),
    as,
  ),
});

const marksFor = (labels: readonly string[], outcome: Outcome): Record<string, Outcome> =>
  Object.fromEntries(labels.map((label) => [label, outcome]));
