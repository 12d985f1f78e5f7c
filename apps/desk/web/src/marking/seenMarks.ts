import { createContext, useContext } from 'react';
import type { MarkQueue } from './queue/markQueue.ts';
import type { DoneMarks } from './doneMarks.ts';
import type { SeenMark } from './queue/queueState.ts';

/*
 * The marks that this page has shown to the examiner, by question. A mark that arrives in the background is not seen
 * until the page has shown it; a decision before that carries the older mark, and core refuses it.
 */

export interface QuestionOfCopy {
  submission_id: string;
  question_id: string;
}

/** Key of the mark of one answer. */
export const keyOfMark = (
  { submission_id, question_id }: QuestionOfCopy,
  { edited_at }: Pick<SeenMark, 'edited_at'>,
): string => `${submission_id} ${question_id} ${edited_at}`;

interface SeenMarks {
  of(place: QuestionOfCopy): SeenMark | undefined;
  see(place: QuestionOfCopy, mark: SeenMark): void;
}

export const newSeenMarks = (): SeenMarks => {
  const marks = new Map<string, SeenMark>();
  const keyOf = ({ submission_id, question_id }: QuestionOfCopy): string => `${submission_id} ${question_id}`;
  return {
    of: (place) => marks.get(keyOf(place)),
    see: (place, mark) => {
      marks.set(keyOf(place), mark);
    },
  };
};

export const isSameMark = (one: SeenMark, other: SeenMark): boolean =>
  one.awarded === other.awarded && one.edited_at === other.edited_at && one.approved === other.approved;

/** A way through a list of the review page. */
export interface ReviewWalk {
  /** Submissions that stood in the list before the one that was opened. */
  passed: Set<string>;
  /** Questions to look at by submission, as they were when it was first listed. */
  questions: Map<string, string[]>;
}

/** State for one person. A person who signs in later on the same page gets a new state. */
export interface Marking {
  done: DoneMarks;
  queue: MarkQueue;
  seen: SeenMarks;
  /** Question and submission of each place that was shown: Next does not recommend it again. */
  visited: Set<string>;
  /** Keys of marks that this person gave to groups: they are no changes by a colleague. */
  seenByGroup: Set<string>;
  /** Places that were left, the latest last: the way of Previous. */
  trail: { exam: string; submission: string; question: string }[];
  /** What is known of lists of the review page, by their filters. */
  reviews: Map<string, ReviewWalk>;
}

export const MarkingContext = createContext<Marking | null>(null);

export const useMarking = (): Marking => {
  const marking = useContext(MarkingContext);
  if (marking === null) throw new Error('this component is below the marking page only');
  return marking;
};
