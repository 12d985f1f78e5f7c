import type { GradingFailure } from '@evaluation/rest-contract/grading-failures';
import type { Submission } from '@evaluation/rest-contract/schemas';
import type { GradingStep } from '@evaluation/rules';

/* Operations, their answers, and the state of the model. */

export type ExamName = 'typed' | 'copies' | 'other copies';
export const LANE_OF = { typed: 'typed', copies: 'copy', 'other copies': 'copy' } as const;
/** Labels of the questions for the AI: all of a copy, and the long answers of a typed paper. */
export const COPY_LABELS = ['1', '2'];
export const LONG_LABELS = ['2', '3'];

/** Every operation: of a client, of a worker, or an event that happens to a worker. */
export type Operation =
  | {
      do: 'create';
      client: number;
      key: string;
      exam: ExamName;
      candidate: number;
      replace: boolean;
      /** Index of the upload in the pool; null for a typed submission, which has `longAnswers` long answers. */
      upload: number | null;
      longAnswers: number;
    }
  | { do: 'cancel' | 'delete' | 're_evaluate' | 'approve' | 'unfinalize'; client: number; key: string }
  | { do: 'override'; client: number; key: string; exam: ExamName; label: string }
  /** Names these submissions; null: all graded ones of the exam. */
  | { do: 'finalize'; client: number; exam: ExamName; keys: string[] | null; allowPartial: boolean }
  /** Delivery of a run's message; the claim gets the name `hold`. */
  | { do: 'claim'; key: string; attempt: number; hold: string }
  | { do: 'step'; hold: string; step: GradingStep }
  | { do: 'mark'; hold: string; label: string; outcome: Outcome }
  /** Records the last marks and completes the run, in one call. */
  | { do: 'complete'; hold: string; marks: Record<string, Outcome> }
  | { do: 'fail'; hold: string; reason: GradingFailure }
  | { do: 'hand_back'; hold: string }
  /** The worker dies, and its lease expires. */
  | { do: 'die'; key: string; attempt: number }
  | { do: 'pass_deadline'; key: string; attempt: number }
  | { do: 'lose_message'; key: string; attempt: number }
  | { do: 'grant'; credits: number };
export type Outcome = 'graded' | 'failed';

/** Answer of an operation. The answer to a client contains the submission as shown. */
export type ModelAnswer =
  | { http: number; code: string; /** Id of the conflicting submission. */ existing: string | null }
  | { http: number; shown: View }
  | { http: number; deleted: string }
  /** Reason for each named submission that was not finalized. */
  | { http: number; skipped: Record<string, string> }
  | { http: number; overridden: string }
  | 'ok'
  | 'lost'
  | 'held'
  | 'nothing';

/** The part of a submission that a client sees and the model predicts. */
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
  /** Whether `rubric_version` is shown: from the first claim of a run on. */
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
  asked: string[];
  run: ModelRun;
  /** Labels with a teacher's mark. */
  overrides: string[];
  approved: boolean;
}

interface Hold {
  key: string;
  attempt: number;
  /** Labels without a mark at the time of the claim. */
  open: string[];
}

export interface ModelState {
  balance: number;
  limit: number;
  quota: number;
  used: number;
  uploads: { pages: number; usedBy: string | null }[];
  submissions: Record<string, ModelSubmission>;
  holds: Record<string, Hold>;
}
