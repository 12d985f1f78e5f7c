import type { Submission } from '@evaluation/rest-contract/schemas';
import type { GradingStep } from '@evaluation/rules';

/* What the model speaks of: the operations, what they are told, and the state between them. */

export type ExamName = 'typed' | 'copies' | 'other copies';
export const LANE_OF = { typed: 'typed', copies: 'copy', 'other copies': 'copy' } as const;
/** Labels of the questions that wait for the AI: all of a copy, and the long answers that are sent of a typed paper. */
export const COPY_LABELS = ['1', '2'];
export const LONG_LABELS = ['2', '3'];

/** Everything that can be done to the service, by a client, by a worker, or by what happens to a worker. */
export type Operation =
  | {
      do: 'create';
      client: number;
      key: string;
      exam: ExamName;
      candidate: number;
      replace: boolean;
      /** The place of the upload in the pool, or how many long answers are sent. */
      upload: number | null;
      longAnswers: number;
    }
  | { do: 'cancel' | 'delete' | 're_evaluate'; client: number; key: string }
  /** A delivery of a run's message; what it takes is held by this name. */
  | { do: 'claim'; key: string; attempt: number; hold: string }
  | { do: 'step'; hold: string; step: GradingStep }
  | { do: 'mark'; hold: string; label: string; outcome: Outcome }
  | { do: 'complete'; hold: string }
  | { do: 'fail'; hold: string; code: string }
  | { do: 'hand_back'; hold: string }
  /** The worker is gone: its lease runs out. */
  | { do: 'die'; key: string; attempt: number }
  | { do: 'pass_deadline'; key: string; attempt: number }
  | { do: 'lose_message'; key: string; attempt: number }
  /** Behind the API, for as long as nothing finalizes. */
  | { do: 'finalize'; key: string }
  | { do: 'grant'; credits: number };
export type Outcome = 'graded' | 'failed';

/** What an operation was told; of a client's, the submission that was shown. */
export type Said =
  | { http: number; code: string; /** What is in the way. */ existing: string | null }
  | { http: number; shown: View }
  | { http: number; deleted: string }
  | 'ok'
  | 'lost'
  | 'held'
  | 'nothing';

/** All of a submission that a client can see and that this model predicts. */
export interface View {
  key: string;
  state: Submission['state'];
  replacedBy: string | null;
  status: Submission['status'];
  attempts: number;
  charged: number | null;
  error: string | null;
  isInQueue: boolean;
  progress: { done: number; total: number } | null;
  hasEstimate: boolean;
  needsReview: boolean;
  finalized: boolean;
  /** Whether a version of the rubrics is shown: from the first claim of a run on. */
  hasVersion: boolean;
  pages: number | null;
  quoted: number;
}

export interface ModelRun {
  state: 'waiting' | 'held' | 'completed' | 'failed' | 'cancelled';
  hold: string | null;
  wasClaimed: boolean;
  deadLeases: number;
  marks: Record<string, Outcome>;
}

export interface ModelSubmission extends View {
  exam: ExamName;
  candidate: number;
  /** Labels that wait for the AI. */
  asked: string[];
  run: ModelRun;
}

export interface Hold {
  key: string;
  attempt: number;
  /** What was not marked yet when the run was taken. */
  open: string[];
}

export interface ModelState {
  balance: number;
  limit: number;
  quota: number;
  used: number;
  uploads: { pages: number; usedBy: string | null }[];
  /** In order of creation. */
  submissions: Record<string, ModelSubmission>;
  holds: Record<string, Hold>;
}
