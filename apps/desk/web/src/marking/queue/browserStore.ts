import { createStore, update as updateValue, type UseStore } from 'idb-keyval';
import type { QueueStore } from './markQueue.ts';
import type { QueueState } from './queueState.ts';

const DATABASE = 'evaluation-desk-marks';

/**
 * Keeps the decisions of one member of staff in IndexedDB, apart from those of other people who sign in on this
 * browser. Other tabs get a message after each change; a Web Lock lets one tab send.
 */
export const browserStore = (staffId: string): QueueStore => {
  const database: UseStore = createStore(DATABASE, 'decisions');
  const channel = new BroadcastChannel(`${DATABASE}-${staffId}`);
  return {
    update: async (change) => {
      let state: QueueState = [];
      let isChanged = false;
      await updateValue<QueueState>(
        staffId,
        (kept = []) => {
          state = change(kept);
          isChanged = state !== kept;
          return state;
        },
        database,
      );
      // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin
      if (isChanged) channel.postMessage('changed');
      return state;
    },
    // Pages that are served without HTTPS have no locks. Two tabs may then send the same decision, which core stores
    // once.
    alone: (signal, work) =>
      isSecureContext ? navigator.locks.request(`${DATABASE}-${staffId}`, { signal }, work) : work(),
    onForeignChange: (listener) => {
      channel.addEventListener('message', listener);
      return () => channel.removeEventListener('message', listener);
    },
  };
};
