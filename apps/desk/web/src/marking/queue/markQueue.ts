import {
  added,
  discarded,
  held,
  insisted,
  nextToSend,
  stored,
  type Change,
  type Decision,
  type QueueState,
  type SeenMark,
} from './queueState.ts';
import { startSender, type ForLater, type QueueStore, type Sender } from './sender.ts';

/** Sends decisions one after the other. A decision that is sent again has its key, and core gives its first answer. */

type Answer = { kind: 'stored'; seen: SeenMark } | { kind: 'changed' } | { kind: 'refused'; text: string };
export type Outcome = Answer | ForLater;

interface QueueOptions {
  store: QueueStore<Decision>;
  send: (decision: Decision & { seen: SeenMark }) => Promise<Outcome>;
  newId: () => string;
  pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface MarkQueue extends Pick<Sender<Decision>, 'snapshot' | 'subscribe' | 'hurry' | 'close'> {
  /** Resolves when the decision is kept in the store. */
  add(place: { submission_id: string; question_id: string }, change: Change, seen: SeenMark): Promise<void>;
  discard(id: string): Promise<void>;
  insist(id: string, seen: SeenMark): Promise<void>;
}

export const startMarkQueue = ({ store, send, newId, pause }: QueueOptions): MarkQueue => {
  const sender = startSender<Decision, Decision & { seen: SeenMark }, Answer>({
    store,
    next: nextToSend,
    send,
    answered: (state, { id }, answer) => applied(state, id, answer),
    pause,
  });
  return {
    ...sender,
    add: (place, change, seen) => {
      const decision = { id: newId(), ...place, change, seen };
      return sender.change((state) => added(state, decision));
    },
    discard: (id) => sender.change((state) => discarded(state, id)),
    insist: (id, seen) => {
      const again = { id: newId(), seen };
      return sender.change((state) => insisted(state, id, again));
    },
  };
};

const applied = (state: QueueState, id: string, answer: Answer): QueueState => {
  switch (answer.kind) {
    case 'stored':
      return stored(state, id, answer.seen);
    case 'changed':
      return held(state, id, { reason: 'changed' });
    case 'refused':
      return held(state, id, { reason: 'refused', text: answer.text });
  }
};
