import type { Change, Decision, SeenMark } from './queue/queueState.ts';

/*
 * Decisions that can be undone, the latest last. The MOST_KEPT latest ones stay in this browser, apart from those of
 * other people, so that they can be undone after a reload. Core compares the mark that a decision has set, so an undo
 * overwrites no later mark of a colleague.
 */

type Place = Pick<Decision, 'submission_id' | 'question_id'>;

interface Done {
  /** Where the decision was made. */
  place: Place;
  /** What reverses it: one change, or one for each answer of a group. `seen`: the mark that it has set. */
  inverses: { place: Place; change: Change; seen?: SeenMark }[];
  awarded: number;
  /** Question and candidate, as they were shown. */
  label: string;
}

export interface DoneMarks {
  push(done: Done): void;
  pop(): Done | undefined;
  latest(): Done | null;
  /** A decision was stored: its mark is the one that an undo at this place replaces. */
  stored(place: Place, seen: SeenMark): void;
}

const MOST_KEPT = 10;
const keyOf = (staffId: string): string => `evaluation-desk-done-${staffId}`;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isPlace = (value: unknown): boolean =>
  isRecord(value) && typeof value['submission_id'] === 'string' && typeof value['question_id'] === 'string';
const isChange = (value: unknown): boolean =>
  isRecord(value) &&
  (value['kind'] === 'withdraw' || (value['kind'] === 'mark' && typeof value['awarded'] === 'number'));
const isDone = (value: unknown): value is Done =>
  isRecord(value) &&
  isPlace(value['place']) &&
  typeof value['awarded'] === 'number' &&
  typeof value['label'] === 'string' &&
  Array.isArray(value['inverses']) &&
  value['inverses'].every((each) => isRecord(each) && isPlace(each['place']) && isChange(each['change']));

const readKept = (staffId: string): Done[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(staffId)) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isDone) : [];
  } catch {
    return [];
  }
};

export const newDoneMarks = (staffId: string): DoneMarks => {
  const done = readKept(staffId);
  const keep = (): void => {
    try {
      localStorage.setItem(keyOf(staffId), JSON.stringify(done.slice(-MOST_KEPT)));
    } catch {
      // A full disk: an older list would undo in the wrong order.
      localStorage.removeItem(keyOf(staffId));
    }
  };
  return {
    push: (each) => {
      done.push(each);
      keep();
    },
    pop: () => {
      const last = done.pop();
      keep();
      return last;
    },
    latest: () => done.at(-1) ?? null,
    stored: ({ submission_id, question_id }, seen) => {
      const ofPlace = done
        .flatMap(({ inverses }) => inverses)
        .filter(({ place }) => place.submission_id === submission_id && place.question_id === question_id);
      if (ofPlace.length === 0) return;
      for (const inverse of ofPlace) inverse.seen = seen;
      keep();
    },
  };
};
