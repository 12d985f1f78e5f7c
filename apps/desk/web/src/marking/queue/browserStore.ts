import { createStore, update as updateValue, type UseStore } from 'idb-keyval';
import type { QueueStore } from './sender.ts';

/** Names of databases in the browser: of decisions on marks, and of strokes on pages. */
export const MARKS = 'evaluation-desk-marks';
export const INK = 'evaluation-desk-ink';

/**
 * Keeps the list of what one member of staff has done and core has not stored in IndexedDB, apart from those of other
 * people who sign in on this browser. Other tabs get a message after each change; a Web Lock lets one tab send.
 */
export const browserStore = <Item>(staffId: string, name: string): QueueStore<Item> => {
  const database: UseStore = createStore(name, 'decisions');
  const channel = new BroadcastChannel(`${name}-${staffId}`);
  return {
    update: async (change) => {
      let state: readonly Item[] = [];
      let isChanged = false;
      await updateValue<readonly Item[]>(
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
      isSecureContext ? navigator.locks.request(`${name}-${staffId}`, { signal }, work) : work(),
    onForeignChange: (listener) => {
      channel.addEventListener('message', listener);
      return () => channel.removeEventListener('message', listener);
    },
  };
};
