import type { Broadcasts, ControlMessages } from '@evaluation/lanes';

type ResultsChanged = ControlMessages['results_changed'];

/** Changes of an institute's exams and copies, for the open pages of this process. */
export interface Streams {
  /** @returns a function that ends the stream; null if this process or the session has too many */
  open(owner: { instituteId: string; sessionId: string }, stream: Stream): (() => void) | null;
  /** Ends all streams; browsers connect again, to another replica or after the restart. */
  close(): void;
}

interface Stream {
  send(change: Pick<ResultsChanged, 'exam_ids' | 'submission_ids' | 'more'>): void;
  end(): void;
}

const MOST_OF_A_SESSION = 20;
const MOST = 5000;

/** State: the open streams, by institute, with the session of each. A crash ends them, and browsers connect again. */
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
    open: ({ instituteId, sessionId }, stream) => {
      const streams = byInstitute.get(instituteId) ?? new Map<Stream, string>();
      const own = [...streams.values()].filter((session) => session === sessionId).length;
      if (isClosed || open >= MOST || own >= MOST_OF_A_SESSION) return null;
      byInstitute.set(instituteId, streams.set(stream, sessionId));
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
