import { isActive, MAX_DEAD_LEASES } from './model.ts';
import {
  LANE_OF,
  LONG_LABELS,
  type ModelState,
  type ModelSubmission,
  type Operation,
  type Outcome,
} from './state.ts';
import { WORKED_ON, type Wish } from './wishes.ts';

/** Makes a new, unique name for an object of the model. */
export type Namer = (of: string) => string;

/**
 * The operations by which a wish becomes possible in a state, and the operation itself; null if it is not applicable.
 * @param isAlone whether no other operation runs at the same time
 */
export const meaning = (
  state: ModelState,
  wish: Wish,
  name: Namer,
  isAlone: boolean,
): { first: Operation[]; last: Operation } | null => {
  const all = Object.values(state.submissions);
  const live = all.filter((of) => of.state === 'live');
  const simply = (last: Operation) => ({ first: [], last });
  switch (wish.do) {
    case 'create':
      return simply(creation(state, wish, name('submission')));
    case 'cancel':
    case 'delete':
    case 're_evaluate': {
      // Sometimes a replaced or deleted submission.
      const of =
        wish.at === WORKED_ON
          ? pick(live.filter(isHeld), 0)
          : pick(wish.at % 4 === 3 || live.length === 0 ? all : live, wish.at);
      return of === null ? null : simply({ do: wish.do, client: wish.client, key: of.key });
    }
    case 'claim': {
      const of = pick(all.filter(isWaiting), wish.at);
      return of === null ? null : simply(claimOf(of, name));
    }
    case 'late_message': {
      // A held run may be handed back at the same time, so its message may be late or not.
      const late = all.filter(({ run }) => run.state !== 'waiting' && (isAlone || run.state !== 'held'));
      const of = pick(late, wish.at);
      return of === null ? null : simply(claimOf(of, name));
    }
    case 'die': {
      const of = pick(all.filter(isHeld), wish.at);
      return of === null ? null : simply({ do: 'die', key: of.key, attempt: of.attempts });
    }
    case 'wear_out': {
      // The run loses one worker after the other, until core ends it.
      const of = pick(all.filter(isHeld), wish.at);
      if (of === null) return null;
      const die: Operation = { do: 'die', key: of.key, attempt: of.attempts };
      const lives = Array.from({ length: MAX_DEAD_LEASES - of.run.deadLeases - 1 }, () => [
        die,
        claimOf(of, name),
      ]);
      return { first: lives.flat(), last: die };
    }
    case 'interrupt': {
      // Hand over: the recorded step stays, the next worker continues, and the first one's write is refused.
      const of = pick(all.filter(isHeld), wish.at);
      const hold = of?.run.hold ?? '';
      return of === null
        ? null
        : {
            first: [{ do: 'step', hold, step: 'grading' }, { do: 'hand_back', hold }, claimOf(of, name)],
            last: { do: 'fail', hold, code: 'copy_unreadable' },
          };
    }
    case 'repeat_mark': {
      const of = pick(all.filter(isHeld), wish.at);
      const hold = of?.run.hold ?? '';
      const label = state.holds[hold]?.open[0];
      if (label === undefined) return null;
      const mark = (as: Outcome): Operation => ({ do: 'mark', hold, label, outcome: as });
      return { first: [mark('graded')], last: mark('failed') };
    }
    case 'pass_deadline': {
      const begun = all.filter((of) => isActive(of) && of.run.wasClaimed);
      const of = pick(begun, wish.at);
      return of === null ? null : simply({ do: 'pass_deadline', key: of.key, attempt: of.attempts });
    }
    case 'lose_message': {
      const of = pick(all.filter(isWaiting), wish.at);
      return of === null ? null : simply({ do: 'lose_message', key: of.key, attempt: of.attempts });
    }
    case 'finalize': {
      const graded = live.filter((of) => !of.finalized && ['graded', 'partially_graded'].includes(of.status));
      const of = pick(graded, wish.at);
      return of === null ? null : simply({ do: 'finalize', key: of.key });
    }
    case 'grant':
      return simply({ do: 'grant', credits: wish.credits });
    case 'stale': {
      const lost = Object.entries(state.holds).filter(
        ([hold, { key }]) => state.submissions[key]?.run.hold !== hold,
      );
      const [hold, { open }] = pick(lost, wish.at) ?? ['', { open: [] }];
      if (hold === '') return null;
      const label = open[0];
      if (wish.write === 'step') return simply({ do: 'step', hold, step: 'grading' });
      if (wish.write === 'fail') return simply({ do: 'fail', hold, code: 'copy_unreadable' });
      if (wish.write !== 'mark') return simply({ do: wish.write, hold });
      return label === undefined ? null : simply({ do: 'mark', hold, label, outcome: 'graded' });
    }
    default: {
      const of = pick(all.filter(isHeld), wish.at);
      return of === null ? null : workerOperation(state, of, wish);
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

const creation = (state: ModelState, wish: Extract<Wish, { do: 'create' }>, key: string): Operation => {
  const { do: what, client: by, exam, candidate, replace } = wish;
  const common = { do: what, client: by, exam, candidate, replace, key };
  if (LANE_OF[exam] === 'typed') {
    return { ...common, upload: null, longAnswers: Math.min(wish.longAnswers, LONG_LABELS.length) };
  }
  const used: number[] = [];
  const free: number[] = [];
  for (const [index, { usedBy }] of state.uploads.entries()) (usedBy === null ? free : used).push(index);
  // An upload that is already used, which must be refused.
  const upload = wish.upload < 0 ? used.at(-1) : free[wish.upload];
  return { ...common, upload: upload ?? free[0] ?? 0, longAnswers: 0 };
};

const workerOperation = (
  state: ModelState,
  of: ModelSubmission,
  wish: Extract<Wish, { do: 'step' | 'mark' | 'complete' | 'fail' | 'hand_back' }>,
): { first: Operation[]; last: Operation } | null => {
  const hold = of.run.hold ?? '';
  const open = state.holds[hold]?.open ?? [];
  switch (wish.do) {
    case 'step': {
      // Typed answers have no reading step.
      const step = LANE_OF[of.exam] === 'typed' ? 'grading' : wish.step;
      return { first: [], last: { do: 'step', hold, step } };
    }
    case 'mark': {
      const label = pick(open, wish.label);
      return label === null ? null : { first: [], last: { do: 'mark', hold, label, outcome: wish.outcome } };
    }
    case 'complete':
      return { first: marksOf(of, wish.outcome), last: { do: 'complete', hold } };
    case 'fail':
      return { first: [], last: { do: 'fail', hold, code: wish.code } };
    case 'hand_back':
      return { first: [], last: { do: 'hand_back', hold } };
  }
};

/** The operations that finish a held run. */
export const gradingOf = (of: ModelSubmission): Operation[] => [
  ...marksOf(of, 'graded'),
  { do: 'complete', hold: of.run.hold ?? '' },
];

/** Marks for each question without one. */
const marksOf = ({ asked, run }: ModelSubmission, as: Outcome): Operation[] =>
  asked
    .filter((label) => run.marks[label] === undefined)
    .map((label) => ({ do: 'mark', hold: run.hold ?? '', label, outcome: as }));
