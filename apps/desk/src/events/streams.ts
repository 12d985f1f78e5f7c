import type { Broadcasts, ControlMessages } from '@evaluation/lanes';

type ResultsChanged = ControlMessages['results_changed'];

/** Changes of an institute's exams and copies, for the open pages of this process. */
export interface Streams {
  /** @returns a function that ends the stream; null if this process, the institute or the person has too many */
  open(owner: { instituteId: string; staffId: string }, stream: Stream): (() => void) | null;
  /** Ends all streams; browsers connect again, to another replica or after the restart. */
  close(): void;
}

interface Stream {
  send(change: Pick<ResultsChanged, 'exam_ids' | 'submission_ids' | 'more'>): void;
  end(): void;
}

const MOST_OF_A_PERSON = 20;
const MOST = 5000;
/** An institute has at most this many times what is free, so that it leaves others a third. */
const SHARE_OF_FREE = 2;

/** State: the open streams, by institute, with the person of each. A crash ends them, and browsers connect again. */
export const openStreams = (broadcasts: Broadcasts): Streams => {
  const byInstitute = new Map<string, Map<Stream, string>>();
  let open = 0;
  let isClosed = false;
  const stopListening = broadcasts.onBroadcast('results_changed', ({ institute_id, exam_ids, ...rest }) => {
    const { submission_ids, more } = rest;
    for (const stream of byInstitute.get(institute_id)?.keys() ?? [])
      stream.send({ exam_ids, submission_ids, more });
  });
  return {
    open: ({ instituteId, staffId }, stream) => {
      const streams = byInstitute.get(instituteId) ?? new Map<Stream, string>();
      const own = [...streams.values()].filter((person) => person === staffId).length;
      if (isClosed || own >= MOST_OF_A_PERSON || streams.size >= (MOST - open) * SHARE_OF_FREE) return null;
      byInstitute.set(instituteId, streams.set(stream, staffId));
      open += 1;
      return () => {
        if (!streams.delete(stream)) return;
        open -= 1;
        if (streams.size === 0) byInstitute.delete(instituteId);
      };
    },
    close: () => {
      isClosed = true;
      stopListening();
      for (const streams of byInstitute.values()) for (const stream of streams.keys()) stream.end();
    },
  };
};
