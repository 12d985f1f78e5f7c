import type { RecordedQuestion } from '@evaluation/core-client';
import type { MarkedQuestion } from '@evaluation/rules/grading-model';

export interface CopyResult {
  question: MarkedQuestion;
  result: Pick<RecordedQuestion, 'awarded' | 'feedback' | 'needs_review' | 'criteria' | 'annotations'> & {
    status: 'graded' | 'failed' | 'pending' | 'cancelled' | 'not_answered';
  };
}
