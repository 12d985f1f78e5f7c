import type { GradingFailure } from '@evaluation/rest-contract/grading-failures';
import fc from 'fast-check';
import type { GradingStep } from '@evaluation/rules';
import type { ExamName, Outcome } from './state.ts';

/*
 * Random choices are drawn as intents, such as "cancel the third". `resolveIntent` finds the object in the current
 * state, so an intent stays applicable after any others, also when fast-check leaves some out while shrinking.
 */

export type Intent =
  | {
      do: 'create';
      client: number;
      exam: ExamName;
      candidate: number;
      replace: boolean;
      upload: number;
      longAnswers: number;
    }
  | { do: 'cancel' | 'delete' | 're_evaluate' | 'approve' | 'unfinalize'; client: number; at: number }
  | { do: 'override'; client: number; at: number; label: number }
  | { do: 'finalize'; client: number; exam: ExamName; at: number; names: boolean; allowPartial: boolean }
  | {
      do:
        | 'claim'
        | 'late_message'
        | 'die'
        | 'wear_out'
        | 'interrupt'
        | 'repeat_mark'
        | 'pass_deadline'
        | 'lose_message';
      at: number;
    }
  | { do: 'hand_back'; at: number }
  | { do: 'step'; at: number; step: GradingStep }
  | { do: 'mark'; at: number; label: number; outcome: Outcome }
  | { do: 'complete'; at: number; outcome: Outcome }
  | { do: 'fail'; at: number; reason: GradingFailure }
  | { do: 'stale'; at: number; write: 'step' | 'mark' | 'complete' | 'fail' | 'hand_back' }
  | { do: 'grant'; credits: number };

/** How intents choose their objects: few and repeated choices make simultaneous operations meet more often. */
interface Choices {
  at: fc.Arbitrary<number>;
  candidate: fc.Arbitrary<number>;
  exam: fc.Arbitrary<ExamName>;
}

export const ALL_OBJECTS: Choices = {
  at: fc.nat(11),
  candidate: fc.nat(1),
  exam: fc.constantFrom('typed', 'copies', 'other copies'),
};
const FEW_OBJECTS: Choices = {
  at: fc.constantFrom(0, 0, 0, 0, 1, 2, 3),
  candidate: fc.constantFrom(0, 0, 0, 1),
  exam: fc.constantFrom('copies', 'copies', 'typed', 'other copies'),
};

const client = fc.nat(1);
const outcome = fc.constantFrom<Outcome>('graded', 'graded', 'failed');

const createIntent = ({ candidate, exam }: Choices) =>
  fc.record({
    do: fc.constant('create' as const),
    client,
    exam,
    candidate,
    replace: fc.boolean(),
    upload: fc.constantFrom(0, 0, 0, 1, -1),
    longAnswers: fc.constantFrom(1, 2, 2, 0),
  });
const clientIntent = ({ at }: Choices) =>
  fc.record({
    do: fc.constantFrom('cancel' as const, 'delete' as const, 're_evaluate' as const, 're_evaluate' as const),
    client,
    at,
  });
const finalizeIntent = ({ at, exam }: Choices) =>
  fc.record({
    do: fc.constant('finalize' as const),
    client,
    exam,
    at,
    names: fc.boolean(),
    allowPartial: fc.boolean(),
  });
const teacherIntent = (aim: Choices) =>
  fc.oneof(
    fc.record({ do: fc.constantFrom('approve' as const, 'unfinalize' as const), client, at: aim.at }),
    fc.record({ do: fc.constant('override' as const), client, at: aim.at, label: fc.nat(1) }),
    finalizeIntent(aim),
  );
const claimIntent = ({ at }: Choices) => fc.record({ do: fc.constant('claim' as const), at });
const workerIntent = ({ at }: Choices) =>
  fc.oneof(
    fc.record({
      do: fc.constant('step' as const),
      at,
      step: fc.constantFrom<GradingStep>('processing', 'reading', 'grading'),
    }),
    fc.record({ do: fc.constant('mark' as const), at, label: fc.nat(1), outcome }),
    fc.record({ do: fc.constant('complete' as const), at, outcome }),
    fc.record({ do: fc.constant('complete' as const), at, outcome }),
    fc.record({
      do: fc.constant('fail' as const),
      at,
      reason: fc.constantFrom<GradingFailure>('nothing_readable', 'other_language', 'timed_out'),
    }),
    fc.record({ do: fc.constant('hand_back' as const), at }),
    fc.record({ do: fc.constantFrom('die' as const, 'pass_deadline' as const), at }),
    fc.record({ do: fc.constantFrom('interrupt' as const, 'repeat_mark' as const), at }),
    fc.record({
      do: fc.constant('stale' as const),
      at,
      write: fc.constantFrom('step', 'mark', 'complete', 'fail', 'hand_back'),
    }),
    fc.record({ do: fc.constant('late_message' as const), at }),
  );
const aloneIntent = ({ at }: Choices) =>
  fc.oneof(
    fc.record({
      do: fc.constantFrom('lose_message' as const, 'wear_out' as const),
      at,
    }),
    fc.record({ do: fc.constant('grant' as const), credits: fc.integer({ min: 1, max: 3 }) }),
  );

/** Intents that run alone; repeated entries are more frequent. */
export const intentsAlone = (aim: Choices): fc.Arbitrary<Intent>[] => [
  createIntent(aim),
  createIntent(aim),
  clientIntent(aim),
  clientIntent(aim),
  teacherIntent(aim),
  teacherIntent(aim),
  claimIntent(aim),
  claimIntent(aim),
  workerIntent(aim),
  workerIntent(aim),
  workerIntent(aim),
  workerIntent(aim),
  aloneIntent(aim),
];

/** Intents that prepare a state for simultaneous ones. */
const intentBefore = (aim: Choices): fc.Arbitrary<Intent> =>
  fc.oneof(createIntent(aim), claimIntent(aim), claimIntent(aim), workerIntent(aim));

/** Intents that may run at the same time: each takes effect at one moment. */
const simultaneousIntent = (aim: Choices): fc.Arbitrary<Intent> =>
  fc.oneof(
    { arbitrary: createIntent(aim), weight: 3 },
    { arbitrary: clientIntent(aim), weight: 4 },
    { arbitrary: teacherIntent(aim), weight: 2 },
    { arbitrary: claimIntent(aim), weight: 2 },
    { arbitrary: workerIntent(aim), weight: 4 },
  );

/** A round: intents that run alone first, then intents that run at the same time. */
interface Round {
  before: Intent[];
  intents: Intent[];
}

/** Value of `at` for the submission that a worker holds. */
export const HELD_SUBMISSION = -1;
const submissionOf = (exam: ExamName, candidate: number, longAnswers = 0): fc.Arbitrary<Intent> =>
  fc.record({
    do: fc.constant('create' as const),
    client,
    exam: fc.constant(exam),
    candidate: fc.constant(candidate),
    replace: fc.constant(true),
    upload: fc.constant(0),
    longAnswers: fc.constant(longAnswers),
  });

/** A worker and a client act on the same submission. */
const clientAgainstWorker: fc.Arbitrary<Round> = fc.record({
  before: fc.tuple(submissionOf('copies', 0), fc.constant<Intent>({ do: 'claim', at: 0 })),
  intents: fc.tuple(
    workerIntent({ ...FEW_OBJECTS, at: fc.constant(0) }),
    fc.oneof(
      clientIntent({ ...FEW_OBJECTS, at: fc.constant(HELD_SUBMISSION) }),
      clientIntent({ ...FEW_OBJECTS, at: fc.constant(HELD_SUBMISSION) }),
      submissionOf('copies', 0),
    ),
    simultaneousIntent(FEW_OBJECTS),
  ),
});

/** Clients finalize an exam with two graded submissions while others change it. */
const finalizing: fc.Arbitrary<Round> = fc.record({
  before: fc.tuple(
    submissionOf('typed', 0, 1),
    fc.constant<Intent>({ do: 'claim', at: 0 }),
    fc.record({ do: fc.constant('complete' as const), at: fc.constant(0), outcome }),
    // Graded at once.
    submissionOf('typed', 1),
  ),
  intents: fc.tuple(
    finalizeIntent({ ...FEW_OBJECTS, exam: fc.constant('typed') }),
    teacherIntent({ ...FEW_OBJECTS, exam: fc.constant('typed') }),
    fc.oneof(clientIntent(FEW_OBJECTS), teacherIntent(FEW_OBJECTS), submissionOf('typed', 0)),
  ),
});

/** Two submissions use one upload. Candidates and exams differ, so that no lock orders the submissions. */
const oneUploadTwice: fc.Arbitrary<Round> = fc.record({
  before: fc.constant<Intent[]>([{ do: 'grant', credits: 3 }]),
  intents: fc.tuple(submissionOf('copies', 0), submissionOf('other copies', 1)),
});

export const rounds: fc.Arbitrary<Round> = fc.oneof(
  {
    arbitrary: fc.record({
      before: fc.array(intentBefore(FEW_OBJECTS), { maxLength: 3, size: 'max' }),
      intents: fc.array(simultaneousIntent(FEW_OBJECTS), { minLength: 2, maxLength: 4, size: 'max' }),
    }),
    weight: 6,
  },
  { arbitrary: clientAgainstWorker, weight: 4 },
  { arbitrary: finalizing, weight: 4 },
  { arbitrary: oneUploadTwice, weight: 2 },
);
