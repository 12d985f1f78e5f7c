import type { PaperQuestion, RecordedQuestion } from '@evaluation/core-client';

/** One question with its result, judged now or by an earlier delivery of the run. */
export interface CopyResult {
  question: PaperQuestion;
  result: Pick<RecordedQuestion, 'awarded' | 'feedback' | 'needs_review' | 'criteria' | 'annotations'> & {
    status: 'graded' | 'failed' | 'pending' | 'cancelled' | 'not_answered';
  };
}
